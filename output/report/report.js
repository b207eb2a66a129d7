/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Everything can be read without this: it sorts and filters tables, and names the packets under the pointer. */
"use strict";

const value = cell => {
	const text = cell.dataset.v ?? cell.textContent;
	const number = parseFloat(text);
	return text === "" ? -Infinity : String(number) === text || /^-?[0-9.]+$/.test(text) ? number : text;
};

const compare = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;

for (const table of document.querySelectorAll("table")) {
	const body = table.tBodies[0];
	const headings = [...table.tHead.rows[0].cells];
	headings.forEach((heading, column) => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...heading.childNodes);
		heading.append(button);
		button.addEventListener("click", () => {
			const up = heading.getAttribute("aria-sort") === "descending" || (!heading.hasAttribute("aria-sort") && column < 4);
			for (const other of headings)
				other.removeAttribute("aria-sort");
			heading.setAttribute("aria-sort", up ? "ascending" : "descending");
			const rows = [...body.rows].map(row => [value(row.cells[column]), row]);
			rows.sort((a, b) => up ? compare(a[0], b[0]) : compare(b[0], a[0]));
			body.append(...rows.map(row => row[1]));
		});
	});
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
		found.push({ value: i * step, text: (i * step).toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) });
	return found;
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
		path.dataset.f.split(" ").forEach((frame, i) => {
			const [x, y] = places[i].replace("h0", "").split(" ").map(Number);
			points.push({ path, frame, x, y });
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

for (const plot of document.querySelectorAll("svg.plot[data-box]")) {
	const numbers = name => plot.dataset[name].split(" ").map(Number);
	const [left, right, bottom, top] = numbers("box"), [x0, x1] = numbers("x"), unit = Number(plot.dataset.unit);
	const [y0, y1] = plot.dataset.y ? numbers("y") : [0, 0];
	const read = document.createElement("p"), hint = "Drag across the plot to magnify a part of it, double-click to see all.";
	read.className = "read";
	read.textContent = hint;
	plot.after(read);
	const cross = svg("path", { class: "cross" });
	plot.append(cross);
	const { points, bars } = gather(plot);
	const time = x => x0 + (x - left) / (right - left) * (x1 - x0);
	const number = y => y0 + (bottom - y) / (bottom - top) * (y1 - y0);
	const pointer = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
	let from = left, to = right, upper = top, lower = bottom, start = null;
	const across = x => left + (x - from) / (to - from) * (right - left);
	const down = y => y0 === y1 ? y : bottom - (lower - y) / (lower - upper) * (bottom - top);

	const drawTicks = () => {
		const old = plot.querySelector(".ticks-x");
		old.replaceChildren(...ticks(time(from) / unit, time(to) / unit, 9).flatMap(tick => {
			const x = across(left + (tick.value * unit - x0) / (x1 - x0) * (right - left));
			return [svg("path", { class: "grid", d: `M${x} ${top}V${bottom}` }), svg("text", { class: "tx", x, y: bottom + 15 }, tick.text)];
		}));
		plot.querySelector(".ticks-y")?.replaceChildren(...ticks(number(lower), number(upper), 6).flatMap(tick => {
			const y = down(bottom - (tick.value - y0) / (y1 - y0) * (bottom - top));
			return [svg("path", { class: "grid", d: `M${left} ${y}H${right}` }), svg("text", { class: "ty", x: left - 6, y: y + 4 }, tick.text)];
		}));
	};

	const show = (newFrom, newTo) => {
		[from, to] = [newFrom, newTo];
		const inside = points.filter(point => point.x >= from && point.x <= to).map(point => point.y);
		const whole = from === left && to === right;
		upper = whole || !inside.length ? top : Math.min(...inside);
		lower = whole || !inside.length ? bottom : Math.max(...inside);
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
		drawTicks();
	};

	plot.addEventListener("pointerdown", event => {
		start = Math.min(Math.max(pointer(event).x, left), right);
		event.preventDefault();
	});
	plot.addEventListener("pointerup", event => {
		const end = Math.min(Math.max(pointer(event).x, left), right), back = x => from + (x - left) / (right - left) * (to - from);
		if (start !== null && Math.abs(end - start) > 4 && to - from > 1e-6)
			show(back(Math.min(start, end)), back(Math.max(start, end)));
		start = null;
		cross.removeAttribute("d");
	});
	plot.addEventListener("dblclick", () => show(left, right));
	plot.addEventListener("pointermove", event => {
		const at = pointer(event);
		if (start !== null) {
			cross.setAttribute("d", `M${start} ${top}V${bottom}H${at.x}V${top}z`);
			return;
		}
		let best = null, least = 900;
		for (const point of points) {
			const distance = (across(point.x) - at.x) ** 2 + (down(point.y) - at.y) ** 2;
			if (point.frame && distance < least)
				[least, best] = [distance, point];
		}
		if (!best)
			return;
		cross.setAttribute("d", `M${across(best.x)} ${top}V${bottom}M${left} ${down(best.y)}H${right}`);
		read.textContent = `frame ${best.frame}, about +${(Number(plot.dataset.start) + time(best.x) / 1e9).toFixed(6)} s, ` +
			`about ${Math.round(number(best.y)).toLocaleString("en")} from the first number`;
	});
	plot.addEventListener("pointerleave", () => {
		start = null;
		cross.removeAttribute("d");
		read.textContent = hint;
	});
}
