# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The page of rdmatap report in Debian's headless chromium: no errors, tables sort, plots show the data."""
import csv
import functools
import io
import json
import os
import re
import shutil
import tempfile
import unittest

from browser import Browser
from cli import CliTest, RPING, TESTDATA, read
from page import Page

WINDOW, PHONE = (1280, 1000), (390, 844)

# Collects errors from the first script on; results of a test are text in the dumped DOM.
BEFORE = """<script>var errors = []; addEventListener("error", event => errors.push(event.message));</script>"""
AFTER = """<script>
const drag = (plot, from, to) => {
	for (const [name, x] of [["pointerdown", from], ["pointermove", to], ["pointerup", to]]) {
		const at = new DOMPoint(x, 100).matrixTransform(plot.getScreenCTM());
		plot.dispatchEvent(new PointerEvent(name, { clientX: at.x, clientY: at.y, bubbles: true }));
	}
};
const result = document.createElement("script");
result.type = "application/json";
result.id = "result";
let returned;
try { returned = (() => { %s })(); } catch (error) { errors.push(String(error)); }
result.textContent = JSON.stringify({ errors, returned });
document.body.append(result);
</script>"""


@functools.cache
def the_browser():
    profile = tempfile.mkdtemp(prefix="rdmatap-browser-")
    unittest.addModuleCleanup(shutil.rmtree, profile, ignore_errors=True)
    browser = Browser(profile)
    unittest.addModuleCleanup(browser.close)
    return browser


class BrowserTest(CliTest):
    def page(self, *arguments):
        path = self.path("page-%d.html" % len(os.listdir(self.directory)))
        self.assertEqual(self.run_program("report", "-o", path, *arguments).returncode, 0)
        return path

    def evaluate(self, path, script, window=WINDOW, is_dark=False):
        """The result of the script, run after the page is loaded and its own script has run."""
        with open(path, encoding="utf-8") as f:
            page = f.read()
        changed = self.path("tried.html", page.replace("<head>", "<head>" + BEFORE, 1).replace("</body>", AFTER % script + "</body>").encode())
        dump, _ = the_browser().show(changed, *window, is_dark)
        found = json.loads(re.search(r'<script type="application/json" id="result">(.*?)</script>', dump, re.S).group(1))
        self.assertEqual(found["errors"], [])
        return found["returned"]


class Loading(BrowserTest):
    def test_the_console_is_empty(self):
        for name in ("roce-nfs3-long.pcap", "iwarp-rping-v4-crc.pcap", "roce-cmtime.pcap", "mad-ibsim-smp-perf.pcap.gz", "empty.pcap"):
            dump, said = the_browser().show(self.page(os.path.join(TESTDATA, name)), *WINDOW)
            self.assertEqual(said, [], name)
            self.assertIn("RDMA capture report", dump)

    def test_console_messages_are_captured(self):
        broken = self.path("broken.html", b"<script>throw new Error('heard')</script>")
        self.assertIn("heard", "".join(the_browser().show(broken, *WINDOW)[1]))

    def test_text_can_be_read_in_light_and_in_dark(self):
        script = """return [...document.querySelectorAll("p, td, th, caption, li, figcaption, dt, dd, svg text, code, footer, a")].map(e => {
			const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
				.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
			let below = e;
			while (below.parentElement && /(, 0\\)|transparent)$/.test(getComputedStyle(below).backgroundColor))
				below = below.parentElement;
			const style = getComputedStyle(e), ground = light(getComputedStyle(below).backgroundColor);
			const ink = light(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
			return [(Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05), e.tagName + "." + (e.getAttribute("class") ?? ""), ground];
		}).sort((a, b) => a[0] - b[0])[0];"""
        page = self.page(os.path.join(TESTDATA, "conn_naks.pcap"))
        for is_dark in (False, True):
            contrast, what, ground = self.evaluate(page, script, is_dark=is_dark)
            self.assertGreaterEqual(contrast, 4.5, what)
            self.assertEqual(ground < 0.5, is_dark)


    def test_large_numbers_stay_in_their_tiles(self):
        spilled = self.evaluate(self.page(RPING), """
			const tiles = [...document.querySelectorAll(".tiles div")];
			for (const tile of tiles) tile.querySelector("dd").textContent = "10,462,318,184,123";
			return tiles.filter(tile => tile.querySelector("dd").scrollWidth > tile.querySelector("dd").clientWidth).length;""")
        self.assertEqual(spilled, 0)


class Tables(BrowserTest):
    def test_a_click_on_a_heading_sorts(self):
        reported = self.evaluate(self.page(os.path.join(TESTDATA, "roce-nfs3-long.pcap")), """
			const table = document.getElementById("rpc-table"), found = [];
			for (const [key, clicks] of [["calls", 1], ["calls", 2], ["latency.max", 1], ["name", 1]]) {
				const heading = table.querySelector(`th[data-key="${key}"]`), column = heading.cellIndex;
				for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
				for (let i = 0; i < clicks; i++) heading.querySelector("button").click();
				found.push([key, heading.getAttribute("aria-sort"), [...table.tBodies[0].rows].map(row => row.cells[column])
					.map(cell => cell.dataset.v ?? cell.textContent)]);
			}
			return found;""")
        for key, order, values in reported:
            kind = str if key == "name" else lambda v: float(v or "-inf")
            self.assertGreater(len(set(values)), 2)
            self.assertEqual(values, sorted(values, key=kind, reverse=order == "descending"), (key, order))
        self.assertEqual({order for _, order, _ in reported}, {"ascending", "descending"})

    def test_a_table_is_saved_with_exact_values(self):
        capture = os.path.join(TESTDATA, "roce-nfs3-long.pcap")
        text = self.evaluate(self.page(capture), """
			let saved;
			HTMLAnchorElement.prototype.click = function() { saved = [this.download, decodeURIComponent(this.href.slice(this.href.indexOf(",") + 1))]; };
			const table = document.getElementById("rpc-table");
			let before = table.parentElement;
			while (!before.matches("button.save")) before = before.previousElementSibling;
			before.click();
			return saved;""")
        self.assertEqual(text[0], "rpc-table.csv")
        rows = list(csv.DictReader(io.StringIO(text[1])))
        wanted = [json.loads(line) for line in self.lines("stats", "--json", capture)]
        wanted = sorted(one["calls"] for one in wanted if one["type"] == "rpc" and "calls" in one)
        self.assertEqual(sorted(int(row["calls"]) for row in rows), wanted)

    def test_each_table_is_saved_as_the_page_has_it(self):
        """Those of test_report.py's comparisons with the statistics: the same rows, in the same order, under the same keys."""
        saved_tables = set()
        for names in (("roce-nfs3-long.pcap",), ("roce-nvmeof.pcap.gz",), ("roce-cnp.pcap",), ("mad-ibsim-smp-perf.pcap.gz",),
                      ("ends/roce-loss.A.pcap.gz", "ends/roce-loss.B.pcap.gz")):
            path = self.page(*(os.path.join(TESTDATA, name) for name in names))
            saved = self.evaluate(path, """
                const saved = [];
                HTMLAnchorElement.prototype.click = function() { saved.push([this.download, decodeURIComponent(this.href.slice(this.href.indexOf(",") + 1))]); };
                for (const one of document.querySelectorAll("button.save")) one.click();
                return saved;""")
            page = Page(read(path))
            self.assertEqual(len(saved), len(page.root.all("table")))
            for file, text in saved:
                name = file[:-len(".csv")]
                rows = list(csv.DictReader(io.StringIO(text)))
                wanted = page.table(name)
                self.assertTrue(rows)
                for row, shown in zip(rows, wanted):
                    self.assertEqual(list(row), list(shown), name)
                    for key, value in shown.items():
                        # a number without a value of its own is saved without the commas between its digits
                        self.assertIn(row[key], (value, re.sub(r"(?<=\d),(?=\d)", "", value)), (name, key))
                self.assertEqual(len(rows), len(wanted))
                saved_tables.add(name)
        self.assertLessEqual({"connection-table", "rpc-table", "operation-table", "work-table", "recovery-table", "mad-table", "join-table"}, saved_tables)

    def test_a_filter_hides_other_rows(self):
        shown = self.evaluate(self.page(os.path.join(TESTDATA, "roce-nfs3-long.pcap")), """
			const table = document.getElementById("rpc-table"), filter = table.parentElement.previousElementSibling;
			filter.value = "lookup";
			filter.dispatchEvent(new Event("input"));
			return [...table.tBodies[0].rows].filter(row => row.offsetHeight).map(row => row.cells[0].textContent);""")
        self.assertTrue(shown)
        self.assertTrue(all("LOOKUP" in name for name in shown), shown)


class Plots(BrowserTest):
    def test_each_packet_is_painted_where_it_belongs(self):
        rows = [line.split("\t") for line in self.lines("-r", RPING, "-T", "fields", "-e", "frame.number", "-e", "rdmatap.connection",
                                                        "-e", "infiniband.bth.psn", "-e", "frame.time_relative")]
        known = {int(r[0]): (int(r[2]), float(r[3])) for r in rows if r[1]}
        reported = self.evaluate(self.page(RPING), """
			return [...document.querySelectorAll("svg.sequence")].map(plot => ({ data: { ...plot.dataset }, text: plot.textContent,
				width: plot.getBoundingClientRect().width,
				paths: [...plot.querySelectorAll("path.dots")].map(path => ({ frames: path.dataset.f.split(" ").map(Number),
					painted: path.getAttribute("d").slice(1).split("M").map(at => at.replace("h0", "").split(" ").map(Number))
						.map(at => path.isPointInStroke(new DOMPoint(...at)) && getComputedStyle(path).stroke !== "none" && at) })) }));""")
        painted = {}
        for plot in reported:
            left, right, bottom, top = map(float, plot["data"]["box"].split())
            (x0, x1), (y0, y1) = (map(float, plot["data"][name].split()) for name in "xy")
            first = int(re.search(r"PSN − (\d+)", plot["text"]).group(1))
            self.assertGreater(plot["width"], 800)
            for path in plot["paths"]:
                for frame, at in zip(path["frames"], path["painted"]):
                    psn, time = known[frame]
                    self.assertTrue(at, frame)
                    self.assertAlmostEqual(at[0], left + ((time - float(plot["data"]["start"])) * 1e9 - x0) / (x1 - x0) * (right - left), delta=0.01)
                    self.assertAlmostEqual(at[1], bottom - (psn - first - y0) / (y1 - y0) * (bottom - top), delta=0.01)
                    painted[frame] = painted.get(frame, 0) + 1
        self.assertEqual(painted, dict.fromkeys(known, 1))

    def test_dragging_magnifies_and_a_double_click_shows_all_again(self):
        before, within, after, numbers = self.evaluate(self.page(RPING), """
			const plot = document.querySelector("svg.sequence"), path = plot.querySelector("path.dots.req");
			const places = () => path.getAttribute("d").slice(1).split("M").map(at => Number(at.split(" ")[0]));
			const before = places(), numbers = [...plot.querySelectorAll(".ticks-x text")].map(text => text.textContent);
			drag(plot, before[3], before[9]);
			const within = places();
			const magnified = [...plot.querySelectorAll(".ticks-x text")].map(text => text.textContent);
			plot.dispatchEvent(new MouseEvent("dblclick"));
			return [before, within, places(), [numbers, magnified]];""")
        self.assertAlmostEqual(within[3], 90, delta=1)
        self.assertAlmostEqual(within[9], 985, delta=1)
        for i in range(len(before)):
            self.assertAlmostEqual(within[i], 90 + (before[i] - before[3]) / (before[9] - before[3]) * 895, delta=2)
            self.assertAlmostEqual(after[i], before[i], delta=0.1)
        self.assertNotEqual(*numbers)

    def test_the_packet_under_the_pointer_is_named(self):
        reported = self.evaluate(self.page(RPING), """
			const plot = document.querySelector("svg.sequence"), path = plot.querySelector("path.dots.req");
			const at = path.getAttribute("d").slice(1).split("M")[5].replace("h0", "").split(" ").map(Number);
			const pixel = new DOMPoint(...at).matrixTransform(plot.getScreenCTM());
			plot.dispatchEvent(new PointerEvent("pointermove", { clientX: pixel.x, clientY: pixel.y }));
			return [path.dataset.f.split(" ")[5], plot.nextElementSibling.textContent, document.querySelector(".tip:not([hidden])").textContent];""")
        psn, = self.lines("-r", RPING, "-Y", "frame.number == " + reported[0], "-T", "fields", "-e", "infiniband.bth.psn")
        self.assertRegex(reported[1], r"^frame %s, RC SEND Only, about \+\d\S* s, PSN about %s$" % (reported[0], psn))
        self.assertEqual(reported[1], reported[2])

    def test_opcodes_are_those_of_the_packets(self):
        rows = [line.split("\t") for line in self.lines("-r", RPING, "-T", "fields", "-e", "frame.number", "-e", "infiniband.bth.opcode")]
        # IBTA vol. 1, table 38
        names = {0: "RC SEND First", 1: "RC SEND Middle", 2: "RC SEND Last", 4: "RC SEND Only", 6: "RC RDMA WRITE First", 10: "RC RDMA WRITE Only",
                 12: "RC RDMA READ Request", 16: "RC RDMA READ Response Only", 17: "RC Acknowledge"}
        wanted = {int(frame): names[int(opcode)] for frame, opcode in rows if opcode and int(opcode) in names}
        found = self.evaluate(self.page(RPING), """
			return [...document.querySelectorAll("path.dots")].flatMap(path => path.dataset.f.split(" ").map((frame, i) =>
				[Number(frame), path.dataset.names.split("|")[path.dataset.o.split(" ")[i]]]));""")
        self.assertGreater(len(found), 50)
        self.assertEqual(dict(found), {frame: wanted[frame] for frame, _ in found})

    def test_all_plots_are_magnified_together(self):
        ranges = self.evaluate(self.page(os.path.join(TESTDATA, "roce-nfs3-long.pcap")), """
			const shown = () => [...document.querySelectorAll("svg.plot[data-box]")].map(plot => {
				const [left, right] = plot.dataset.box.split(" ").map(Number), ticks = [...plot.querySelectorAll(".ticks-x text")];
				const [a, b] = [ticks[0], ticks.at(-1)].map(tick => [Number(tick.getAttribute("x")), Number(plot.dataset.start) + tick.textContent * plot.dataset.unit / 1e9]);
				const at = x => a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
				return ticks.length > 1 ? [at(left), at(right)] : null;
			});
			const before = shown(), plot = document.querySelector("svg.sequence");
			drag(plot, 300, 500);
			const within = shown();
			document.querySelector("#rates svg").dispatchEvent(new MouseEvent("dblclick"));
			return [before, within, shown(), document.querySelectorAll("#rates .stretch").length,
				[...document.querySelectorAll("svg.plot[data-box]")].indexOf(plot)];""")
        before, within, after, stretched, dragged = ranges
        self.assertGreater(stretched, 1)
        self.assertGreater(len(before), 2)
        for old, new in zip(before, after):
            self.assertEqual(bool(old), bool(new))
            for one, other in zip(old or [], new or []):
                self.assertAlmostEqual(one, other, delta=old[1] / 1000)
        low, high = within[dragged]
        others = 0
        for old, new in zip(before, within):
            if old and new and old[0] < high and old[1] > low:
                others += 1
                self.assertAlmostEqual(new[0], max(low, old[0]), delta=(high - low) / 20)
                self.assertAlmostEqual(new[1], min(high, old[1]), delta=(high - low) / 20)
            elif old and new:
                self.assertAlmostEqual(new[0], old[0], delta=old[1] / 1000)
        self.assertGreater(others, 2)

    def test_times_of_day(self):
        begin, = {one["time_ns"] for one in self.stats(RPING) if one["type"] == "capture"}
        before, ticks, after = self.evaluate(self.page(RPING), """
			const plot = document.querySelector("svg.sequence"), clock = document.querySelector("button.clock");
			const labels = () => [...plot.querySelectorAll(".ticks-x text")].map(tick => [Number(tick.getAttribute("x")), tick.textContent]);
			const before = labels();
			clock.click();
			const of = labels();
			clock.click();
			return [before, [of, plot.dataset.box, plot.dataset.x, plot.dataset.start], labels()];""")
        self.assertEqual([text for _, text in before], [text for _, text in after])
        for (one, _), (other, _) in zip(before, after):
            self.assertAlmostEqual(one, other, delta=0.1)
        labels, box, x, start = ticks
        (left, right, *_), (x0, x1) = map(float, box.split()), map(float, x.split())
        self.assertGreater(len(labels), 2)
        for at, text in labels:
            hours, minutes, rest = text.split(":")
            wanted = begin % (86400 * 10**9) / 1e9 + float(start) + (at - left) / (right - left) * (x1 - x0) / 1e9
            self.assertAlmostEqual(int(hours) * 3600 + int(minutes) * 60 + float(rest), wanted, delta=(x1 - x0) / 1e9 / 1000)

    def stats(self, capture):
        return [json.loads(line) for line in self.lines("stats", "--json", capture)]

    def test_a_finding_shows_its_time_in_its_plots(self):
        capture = os.path.join(TESTDATA, "conn_loss-cluster.pcap")
        found = self.evaluate(self.page(capture), """
			const item = document.querySelector("li[data-from][data-connection]");
			item.querySelector("button.see").click();
			const part = document.getElementById(`c${item.dataset.connection}`), plot = part.querySelector("svg.sequence");
			const first = plot.querySelector(".ticks-x text"), last = [...plot.querySelectorAll(".ticks-x text")].at(-1);
			return [part.open, Number(item.dataset.from), Number(item.dataset.to),
				...[first, last].map(tick => Number(plot.dataset.start) + tick.textContent * plot.dataset.unit / 1e9)];""")
        is_open, begin, end, first, last = found
        margin = max((end - begin) / 10, 1e-4) * 1.01
        self.assertTrue(is_open)
        self.assertTrue(begin - margin <= first <= last <= end + margin, found)

    def test_a_link_to_a_connection_opens_it(self):
        self.assertEqual(self.evaluate(self.page(os.path.join(TESTDATA, "roce-cmtime.pcap")), """
			const closed = document.querySelector("details:not([open])");
			location.hash = closed.id;
			dispatchEvent(new Event("hashchange"));
			return [closed.open, closed.querySelectorAll("svg.ladder").length];"""), [True, 1])


class Phone(BrowserTest):
    def test_the_page_is_as_wide_as_a_phone(self):
        """No sideways scrolling but within tables, which can be saved as CSV each."""
        for name in ("roce-nfs3-write-lost.pcap.gz", "roce-nfs3-v6.pcap.gz"):
            with self.subTest(name):
                inner, wide, outside, tables, unsaved = self.evaluate(self.page(os.path.join(TESTDATA, name)), """
                    const scrolls = e => e && (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
                    const tables = [...document.querySelectorAll("table")];
                    return [innerWidth, document.documentElement.scrollWidth,
                        [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement) &&
                            !e.closest("svg svg, svg *")).map(e => e.tagName + "." + e.className),
                        tables.length, tables.filter(t => !t.parentElement.parentElement.querySelector("button")).map(t => t.caption?.textContent ?? t.className)];""",
                    PHONE)
                self.assertEqual(inner, PHONE[0])
                self.assertLessEqual(wide, inner)
                self.assertEqual(outside, [])
                self.assertGreater(tables, 3)
                self.assertEqual(unsaved, [])

    def test_plots_fit_a_phone(self):
        """Plots of times are narrowed so that all of them is seen, with text that can be read; others scroll, which is shown."""
        for name in ("roce-nfs3-write-lost.pcap.gz", "roce-nfs3-v6.pcap.gz"):
            plots, hints, zoomed = self.evaluate(self.page(os.path.join(TESTDATA, name)), """
                for (const part of document.querySelectorAll("details")) part.open = true;
                const plots = [...document.querySelectorAll("svg.plot[data-box]")].map(plot => {
                    const [, , width] = plot.getAttribute("viewBox").split(" ").map(Number), figure = plot.parentElement;
                    const dots = [...plot.querySelectorAll("path.dots")].flatMap(path => path.getAttribute("d").slice(1).split("M").map(at => Number(at.split(" ")[0])));
                    const ticks = [...plot.querySelectorAll(".ticks-x text")].map(text => text.getBoundingClientRect());
                    return { fits: figure.scrollWidth <= figure.clientWidth, outside: dots.filter(x => x > width).length, dots: dots.length,
                        height: ticks[0]?.height, overlap: ticks.filter((tick, i) => i && tick.left < ticks[i - 1].right).length };
                });
                const plot = document.querySelector("svg.sequence"), path = plot.querySelector("path.dots.req");
                const places = () => path.getAttribute("d").slice(1).split("M").map(at => Number(at.split(" ")[0]));
                const before = places(), [, , width] = plot.getAttribute("viewBox").split(" ").map(Number), left = Number(plot.dataset.box.split(" ")[0]);
                const middle = (left + width - 15) / 2;
                drag(plot, left, middle);
                const after = places();
                const undo = document.querySelector("button.whole"), offered = !undo.hidden;
                undo.click();
                return [plots, [...document.querySelectorAll(".scroll, figure")].map(box => {
                    let hint = box.previousElementSibling;
                    while (hint && !hint.matches(".sideways, .scroll, figure")) hint = hint.previousElementSibling;
                    return [box.scrollWidth > box.clientWidth + 1, !!hint?.matches(".sideways") && !hint.hidden];
                }), { before, after, again: places(), left, middle, edge: width - 15, offered, hidden: undo.hidden }];""", PHONE)
            self.assertGreater(sum(plot["dots"] for plot in plots), 100)
            for plot in plots:
                self.assertTrue(plot["fits"])
                self.assertEqual((plot["outside"], plot["overlap"]), (0, 0))
                self.assertGreater(plot["height"], 9)
            self.assertIn([True, True], hints)
            self.assertTrue(all(scrolls == hinted for scrolls, hinted in hints), hints)
            left, middle, edge = zoomed["left"], zoomed["middle"], zoomed["edge"]
            for one, other, third in zip(zoomed["before"], zoomed["after"], zoomed["again"]):
                self.assertAlmostEqual(other, left + (one - left) / (middle - left) * (edge - left), delta=2)
                self.assertAlmostEqual(third, one, delta=0.11)
            self.assertEqual((zoomed["offered"], zoomed["hidden"]), (True, True))


if __name__ == "__main__":
    unittest.main()
