# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The page of rdmatap report as a tree for tests."""
import re
import xml.etree.ElementTree
from html.parser import HTMLParser

VOID = ("meta", "link", "br", "input")


class Element:
    """`order`: all elements of the page in the order of their start tags; those within this one are from `begin` to `end`."""

    def __init__(self, tag, attributes, order):
        self.tag, self.attributes, self.children = tag, attributes, []
        order.append(self)
        self.order, self.begin, self.end = order, len(order), len(order)

    def __getitem__(self, name):
        return self.attributes[name]

    def get(self, name):
        return self.attributes.get(name)

    def classes(self):
        return (self.get("class") or "").split()

    def text(self):
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def walk(self):
        return self.order[self.begin:self.end]

    def all(self, tag=None, cls=None, **attributes):
        return [e for e in self.walk() if (tag is None or e.tag == tag) and (cls is None or cls in e.classes()) and
                all(e.get(name) == value for name, value in attributes.items())]

    def one(self, *arguments, **attributes):
        found = self.all(*arguments, **attributes)
        assert len(found) == 1, (arguments, attributes, len(found))
        return found[0]


def split_drawings(source):
    """Yields the text outside of SVG elements and the outermost SVG elements in turn."""
    depth, begin, end = 0, 0, 0
    for tag in re.finditer(r"<svg\b|</svg>", source):
        if tag.group() == "<svg":
            begin = tag.start() if depth == 0 else begin
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                yield source[end:begin], source[begin:tag.end()]
                end = tag.end()
    yield source[end:], None


class Page(HTMLParser):
    """Fails on tags that are not closed in order, which browsers accept. SVG must be XML."""

    def __init__(self, data):
        super().__init__(convert_charrefs=True)
        self.source = data.decode("utf-8")
        self.root = Element("", {}, [])
        self.open = [self.root]
        for text, drawing in split_drawings(self.source):
            self.feed(text)
            self.close()
            if drawing:
                self.add(xml.etree.ElementTree.fromstring(drawing))
        assert len(self.open) == 1, [e.tag for e in self.open]
        self.root.end = len(self.root.order)

    def add(self, node):
        """An element of a drawing, with all within."""
        element = Element(node.tag, {name.lower(): value for name, value in node.attrib.items()}, self.root.order)
        self.open[-1].children.append(element)
        self.open.append(element)
        if node.text:
            element.children.append(node.text)
        for child in node:
            self.add(child)
            if child.tail:
                element.children.append(child.tail)
        self.handle_endtag(node.tag)

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), (tag, names)
        element = Element(tag, dict(attributes), self.root.order)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.open[-1].children.append(Element(tag, dict(attributes), self.root.order))

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, (self.open[-1].tag, tag, self.getpos())
        self.open.pop().end = len(self.root.order)

    def handle_data(self, data):
        self.open[-1].children.append(data)

    def table(self, name):
        """Rows as dictionaries by the headings' keys; values as they are sorted by."""
        found = self.root.all("table", id=name)
        if not found:
            return []
        keys = [cell["data-key"] for cell in found[0].one("thead").all("th")]
        rows = []
        for row in found[0].one("tbody").all("tr"):
            cells = [c for c in row.children if isinstance(c, Element)]
            assert len(cells) == len(keys), (name, len(cells))
            rows.append({key: cell.text() if cell.get("data-v") is None else cell["data-v"] for key, cell in zip(keys, cells)})
        return rows


def points(plot):
    """[(series, frame, x, y)] of the dots and marks of a plot, in its pixels."""
    found = []
    for path in plot.all("path", "dots"):
        places = re.findall(r"M(\S+) (\S+?)h0", path["d"])
        frames = path["data-f"].split()
        assert len(places) == len(frames)
        found += [(path.classes()[1], int(frame), float(x), float(y)) for frame, (x, y) in zip(frames, places)]
    for group in plot.all("g", "mark"):
        for use in group.all("use"):
            frame = re.match(r"frame (\d+): ", use.one("title").text()).group(1)
            found.append((group.classes()[1], int(frame), float(use["x"]), float(use["y"])))
    return found


def legend(figure):
    """{series: (drawn, total)}"""
    found = {}
    for item in figure.one("ul", "legend").all("li"):
        if item.get("data-series"):
            numbers = [int(n.replace(",", "")) for n in re.findall(r"[0-9,]+", item.text().rpartition(":")[2])]
            found[item["data-series"]] = (numbers[0], numbers[-1])
    return found
