/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Everything can be read without this: it sorts, filters and saves tables, magnifies plots, and names the packets under the pointer. */
"use strict";

const value = cell => {
	const text = cell.dataset.v ?? cell.textContent;
	const number = parseFloat(text);
	return text === "" ? -Infinity : String(number) === text || /^-?[0-9.]+$/.test(text) ? number : text;
};

const compare = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;

const button = (kind, text, title, click) => {
	const made = document.createElement("button");
	Object.assign(made, { type: "button", className: kind, textContent: text, title });
	made.addEventListener("click", click);
	return made;
};

/* RFC 4180. A cell has the value that the table is sorted by. */
const csv = table => {
	const cell = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	const rows = [[...table.tHead.rows[0].cells].map(heading => heading.dataset.key ?? heading.textContent),
		...[...table.tBodies[0].rows].map(row => [...row.cells].map(each => each.dataset.v ?? each.textContent.replaceAll(/(?<=\d),(?=\d)/g, "")))];
	return rows.map(row => row.map(cell).join(",") + "\n").join("");
};

/* Reports that a box is wider than its place. */
const hintScrolling = (box, before) => {
	const hint = document.createElement("p");
	hint.className = "sideways";
	hint.textContent = "Scroll sideways for more →";
	before.before(hint);
	new ResizeObserver(() => hint.hidden = box.scrollWidth <= box.clientWidth + 1).observe(box);
};

for (const table of document.querySelectorAll("table")) {
	const body = table.tBodies[0];
	const headings = [...table.tHead.rows[0].cells];
	headings.forEach((heading, column) => {
		const sorter = document.createElement("button");
		sorter.type = "button";
		sorter.append(...heading.childNodes);
		heading.append(sorter);
		sorter.addEventListener("click", () => {
			const up = heading.getAttribute("aria-sort") === "descending" || (!heading.hasAttribute("aria-sort") && column < 4);
			for (const other of headings)
				other.removeAttribute("aria-sort");
			heading.setAttribute("aria-sort", up ? "ascending" : "descending");
			const rows = [...body.rows].map(row => [value(row.cells[column]), row]);
			rows.sort((a, b) => up ? compare(a[0], b[0]) : compare(b[0], a[0]));
			body.append(...rows.map(row => row[1]));
		});
	});
	hintScrolling(table.parentElement, table.parentElement);
	table.parentElement.before(button("save", "CSV", "Save this table, with exact values", () => {
		const link = document.createElement("a");
		link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(csv(table));
		link.download = `${table.id || "table"}.csv`;
		link.click();
	}));
	if (body.rows.length < 4)
		continue;
	const filter = document.createElement("input");
	filter.className = "filter";
	filter.type = "search";
	filter.placeholder = "Show rows that hold …";
	filter.setAttribute("aria-label", "Show only rows of this table that hold this text");
	filter.addEventListener("input", () => {
		const wanted = filter.value.toLowerCase();
		for (const row of body.rows)
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
	});
	table.parentElement.before(filter);
}

/* Links into a connection's part open it. */
const open = () => {
	const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
	if (target && target.tagName === "DETAILS")
		target.open = true;
};
addEventListener("hashchange", open);
open();

/* 1, 2 or 5 times a power of ten: at most `most` of it between low and high. */
const ticks = (low, high, most) => {
	const power = 10 ** Math.floor(Math.log10((high - low) / most));
	const step = power * ([1, 2, 5, 10].find(times => (high - low) / (power * times) <= most) ?? 10);
	const found = [];
	for (let i = Math.ceil(low / step); i * step <= high && found.length < 24; i++)
		found.push({ value: i * step, decimals: Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)) });
	return found;
};

/* The capture's beginning: its date, and seconds of that day. */
const [seconds, fraction] = document.querySelector("main").dataset.begin.split(".");
const beginOfDay = Number(seconds) % 86400 + Number("0." + (fraction ?? "0"));
const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
let isWallClock = false;

/* Seconds since the capture's beginning as "14:03:11.203". */
const clock = (time, decimals) => {
	const of = ((time + beginOfDay) % 86400 + 86400) % 86400, units = 10 ** decimals, rounded = Math.round(of * units) / units;
	const two = number => String(Math.floor(number)).padStart(2, "0");
	return `${two(rounded / 3600 % 24)}:${two(rounded / 60 % 60)}:${(rounded % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0")}`;
};

const svg = (name, attributes, text) => {
	const made = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, content] of Object.entries(attributes))
		made.setAttribute(key, content);
	made.textContent = text ?? "";
	return made;
};

/* What a plot shows, each with its place on the whole plot and on the part of it that is shown. */
const gather = plot => {
	const points = [], bars = [];
	for (const path of plot.querySelectorAll("path.dots")) {
		const places = path.getAttribute("d").slice(1).split("M");
		const names = path.dataset.names?.split("|"), opcodes = path.dataset.o?.split(" ");
		path.dataset.f.split(" ").forEach((frame, i) => {
			const [x, y] = places[i].replace("h0", "").split(" ").map(Number);
			points.push({ path, frame, x, y, name: names?.[opcodes[i]] });
		});
	}
	for (const use of plot.querySelectorAll(".mark use"))
		points.push({ use, x: Number(use.getAttribute("x")), y: Number(use.getAttribute("y")) });
	for (const path of plot.querySelectorAll(".call path")) {
		const [, x, y, drawn] = path.getAttribute("d").match(/^M(\S+) (\S+?)h(\S+?)v/).map(Number);
		const signs = [...path.parentElement.querySelectorAll("use")].map(use => {
			const atBegin = use.getAttribute("href") === "#m-rc";
			return { use, atBegin, offset: use.getAttribute("x") - x - (atBegin ? 0 : drawn) };
		});
		bars.push({ path, x, y, width: Number(path.dataset.w), signs });
	}
	return { points, bars };
};

/* Follows the pointer. */
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
const showTip = (event, text) => {
	tip.hidden = !text;
	tip.textContent = text ?? "";
	tip.style.left = 0;
	tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
	tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - 10 - tip.offsetHeight : event.clientY + 18}px`;
};

/* All plots show the same times, in seconds since the capture's beginning; null: each shows all of its own. */
const plots = [];
let shownRange = null;
const showAll = range => {
	shownRange = range;
	plots.forEach(plot => plot.showTimes(range));
	whole.hidden = !range;
};
const whole = button("whole", "Show all times", "Undo the magnification of all plots", () => showAll(null));
whole.hidden = true;
document.body.append(whole);

/* Plots are narrowed, not scaled, to a narrow window, so that their text can be read: this is the least size of their units, in pixels. */
const unitSize = 0.85;
const plotWidth = () => document.querySelector("main").clientWidth - (innerWidth > 640 ? 90 : 38);

for (const plot of document.querySelectorAll("svg.plot[data-box]")) {
	const numbers = name => plot.dataset[name].split(" ").map(Number);
	const [left, right, bottom, top] = numbers("box"), [x0, x1] = numbers("x"), unit = Number(plot.dataset.unit), begin = Number(plot.dataset.start);
	const [y0, y1] = plot.dataset.y ? numbers("y") : [0, 0];
	const read = document.createElement("p"), hint = plots.length ? "" : "Drag across a plot to magnify these times in all plots; double-click to see all.";
	read.className = "read";
	read.textContent = hint;
	plot.after(read);
	const cross = svg("path", { class: "cross" });
	plot.append(cross);
	const label = [...plot.children].findLast(each => each.matches("text.tx")), relative = label?.textContent;
	/* "PSN − 1221870": what the vertical axis shows */
	const [axis, first] = plot.querySelector("text.turned")?.textContent.split(" − ") ?? [];
	const { points, bars } = gather(plot), stretched = plot.querySelectorAll(".stretch");
	const time = x => x0 + (x - left) / (right - left) * (x1 - x0);
	const seconds = x => begin + time(x) / 1e9;
	const place = seconds => left + ((seconds - begin) * 1e9 - x0) / (x1 - x0) * (right - left);
	const number = y => y0 + (bottom - y) / (bottom - top) * (y1 - y0);
	const pointer = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
	const areas = plot.querySelectorAll("svg.area"), [, , width, height] = plot.getAttribute("viewBox").split(" ").map(Number);
	/* `edge`: where `right` is drawn */
	let edge = right, from = left, to = right, upper = top, lower = bottom, start = null;
	const across = x => left + (x - from) / (to - from) * (edge - left);
	const down = y => y0 === y1 ? y : bottom - (lower - y) / (lower - upper) * (bottom - top);

	/* On the wall clock, ticks are round times of day. */
	const timeTicks = () => isWallClock ?
		ticks(seconds(from) + beginOfDay, seconds(to) + beginOfDay, Math.max(2, (edge - left) / 127)).map(tick => [place(tick.value - beginOfDay), clock(tick.value - beginOfDay, tick.decimals)]) :
		ticks(time(from) / unit, time(to) / unit, Math.max(2, (edge - left) / 99)).map(tick =>
			[left + (tick.value * unit - x0) / (x1 - x0) * (right - left), tick.value.toFixed(tick.decimals)]);

	const drawTicks = () => {
		plot.querySelector(".ticks-x").replaceChildren(...timeTicks().flatMap(([at, text]) => {
			const x = across(at);
			return [svg("path", { class: "grid", d: `M${x} ${top}V${bottom}` }), svg("text", { class: "tx", x, y: bottom + 15 }, text)];
		}));
		if (label)
			label.textContent = isWallClock ? `${date} UTC` : edge < right ? relative.replace(/ \(.*/, "") : relative;
		if (y0 !== y1)
			plot.querySelector(".ticks-y")?.replaceChildren(...ticks(number(lower), number(upper), 6).flatMap(tick => {
				const y = down(bottom - (tick.value - y0) / (y1 - y0) * (bottom - top));
				return [svg("path", { class: "grid", d: `M${left} ${y}H${edge}` }), svg("text", { class: "ty", x: left - 6, y: y + 4 }, tick.value.toFixed(tick.decimals))];
			}));
	};

	const show = (newFrom, newTo) => {
		[from, to] = [newFrom, newTo];
		const inside = points.filter(point => point.x >= from && point.x <= to).map(point => point.y);
		const isWhole = from === left && to === right;
		upper = isWhole || !inside.length ? top : Math.min(...inside);
		lower = isWhole || !inside.length ? bottom : Math.max(...inside);
		if (lower - upper < 1e-3)
			[upper, lower] = [top, bottom];
		const paths = new Map();
		for (const point of points) {
			if (point.use) {
				point.use.setAttribute("x", across(point.x));
				point.use.setAttribute("y", down(point.y));
			} else {
				paths.set(point.path, (paths.get(point.path) ?? "") + `M${across(point.x).toFixed(1)} ${down(point.y).toFixed(1)}h0`);
			}
		}
		paths.forEach((places, path) => path.setAttribute("d", places));
		for (const bar of bars) {
			const begin = across(bar.x), end = Math.max(across(bar.x + bar.width), begin + 2);
			const shownBegin = Math.max(begin, left - 50), shownEnd = Math.min(end, right + 50);
			bar.path.setAttribute("d", shownEnd < shownBegin ? "" : `M${shownBegin} ${bar.y}h${shownEnd - shownBegin}v8h${shownBegin - shownEnd}z`);
			for (const sign of bar.signs)
				sign.use.setAttribute("x", (sign.atBegin ? begin : end) + sign.offset);
		}
		const scale = (edge - left) / (to - from);
		for (const group of stretched)
			group.setAttribute("transform", scale === 1 ? "" : `matrix(${scale} 0 0 1 ${left - from * scale} 0)`);
		drawTicks();
	};

	/* A plot without any of these times stays as it is. */
	const showTimes = range => {
		const newFrom = range ? Math.max(place(range[0]), left) : left, newTo = range ? Math.min(place(range[1]), right) : right;
		if (newTo - newFrom > 1e-6)
			show(newFrom, newTo);
		else
			drawTicks();
	};

	const fit = () => {
		const wanted = Math.max(left + 150, Math.min(right, plotWidth() / unitSize - (width - right)));
		if (wanted === edge)
			return;
		edge = wanted;
		plot.setAttribute("viewBox", `0 0 ${edge + width - right} ${height}`);
		plot.classList.toggle("narrowed", edge < right);
		for (const area of areas) {
			const [x, y, , tall] = area.getAttribute("viewBox").split(" ");
			area.setAttribute("viewBox", `${x} ${y} ${edge - x + 8} ${tall}`);
			area.setAttribute("width", edge - x + 8);
		}
		label?.setAttribute("x", (left + edge) / 2 - (edge < right ? left / 2 : 0));
		for (const name of plot.querySelectorAll(":scope > text.name:not(.turned)"))
			name.setAttribute("x", edge < right ? 4 : left);
		show(from, to);
	};
	plots.push({ showTimes, fit });

	plot.addEventListener("pointerdown", event => {
		start = Math.min(Math.max(pointer(event).x, left), edge);
		event.preventDefault();
	});
	plot.addEventListener("pointerup", event => {
		const end = Math.min(Math.max(pointer(event).x, left), edge), back = x => from + (x - left) / (edge - left) * (to - from);
		if (start !== null && Math.abs(end - start) > 4 && to - from > 1e-6)
			showAll([seconds(back(Math.min(start, end))), seconds(back(Math.max(start, end)))]);
		start = null;
		cross.removeAttribute("d");
	});
	plot.addEventListener("dblclick", () => showAll(null));
	plot.addEventListener("pointermove", event => {
		const at = pointer(event), title = event.target.closest?.(".call, use")?.querySelector("title")?.textContent;
		if (start !== null) {
			cross.setAttribute("d", `M${start} ${top}V${bottom}H${at.x}V${top}z`);
			return;
		}
		showTip(event, title);
		let best = null, least = 900;
		for (const point of points) {
			const distance = (across(point.x) - at.x) ** 2 + (down(point.y) - at.y) ** 2;
			if (point.frame && distance < least)
				[least, best] = [distance, point];
		}
		if (!best)
			return;
		const when = seconds(best.x);
		cross.setAttribute("d", `M${across(best.x)} ${top}V${bottom}M${left} ${down(best.y)}H${edge}`);
		read.textContent = `frame ${best.frame}${best.name ? ", " + best.name : ""}, about ${isWallClock ? clock(when, 6) : `+${when.toFixed(6)} s`}, ` +
			`${axis} about ${(Number(first) + Math.round(number(best.y))) % (axis === "PSN" ? 2 ** 24 : 2 ** 32)}`;
		showTip(event, title ?? read.textContent);
	});
	plot.addEventListener("pointerleave", event => {
		start = null;
		cross.removeAttribute("d");
		read.textContent = hint;
		showTip(event, null);
	});
}

const fitAll = () => plots.forEach(plot => plot.fit());
addEventListener("resize", fitAll);
fitAll();

for (const plot of document.querySelectorAll("svg.plot:not([data-box])"))
	hintScrolling(plot.parentElement, plot.parentElement);

if (plots.length) {
	const names = ["Times of day (UTC)", "Times since the beginning"];
	const choice = button("clock", names[0], "Change the time axes", () => {
		isWallClock = !isWallClock;
		choice.textContent = names[Number(isWallClock)];
		showAll(shownRange);
	});
	document.querySelector("header").append(choice);
}

/* A finding shows its time in all plots, with a tenth of it on both sides. */
for (const item of document.querySelectorAll("li[data-from]")) {
	const [from, to] = [Number(item.dataset.from), Number(item.dataset.to)], margin = Math.max((to - from) / 10, 1e-4);
	item.append(button("see", "show", "Show these times in all plots", () => {
		const target = document.getElementById(`c${item.dataset.connection}`) ?? document.getElementById("rates");
		if (target?.tagName === "DETAILS")
			target.open = true;
		showAll(null);
		showAll([from - margin, to + margin]);
		target?.scrollIntoView();
	}));
}
