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

for (const plot of document.querySelectorAll("svg.sequence")) {
	const numbers = name => plot.dataset[name].split(" ").map(Number);
	const [left, right, bottom, top] = numbers("box"), [x0, x1] = numbers("x"), [y0, y1] = numbers("y");
	const read = document.createElement("p");
	read.className = "read";
	read.textContent = "\u00a0";
	plot.after(read);
	const cross = document.createElementNS("http://www.w3.org/2000/svg", "path");
	cross.setAttribute("class", "cross");
	plot.append(cross);
	let points;
	const gather = () => [...plot.querySelectorAll("path.dots")].flatMap(path => {
		const places = path.getAttribute("d").slice(1).split("M");
		return path.dataset.f.split(" ").map((frame, i) => ({ frame, at: places[i].replace("h0", "").split(" ").map(Number) }));
	});
	plot.addEventListener("pointermove", event => {
		points ??= gather();
		const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
		let best = null, least = 900;
		for (const point of points) {
			const distance = (point.at[0] - at.x) ** 2 + (point.at[1] - at.y) ** 2;
			if (distance < least) {
				least = distance;
				best = point;
			}
		}
		if (!best)
			return;
		const [x, y] = best.at;
		const seconds = Number(plot.dataset.start) + (x0 + (x - left) / (right - left) * (x1 - x0)) / 1e9;
		const number = Math.round(y0 + (bottom - y) / (bottom - top) * (y1 - y0));
		cross.setAttribute("d", `M${x} ${top}V${bottom}M${left} ${y}H${right}`);
		read.textContent = `frame ${best.frame}, about +${seconds.toFixed(6)} s, about ${number.toLocaleString("en")} from the first number`;
	});
	plot.addEventListener("pointerleave", () => {
		cross.removeAttribute("d");
		read.textContent = "\u00a0";
	});
}
