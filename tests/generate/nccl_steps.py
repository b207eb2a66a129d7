# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Jobs of NCCL, step by step: ranks that compute, rings with several channels, buffers announced steps ahead, queue pairs that go back to the
first lost packet. Knows of each transfer when its buffer, its data and the end of the transfers before it were there. All times in nanoseconds.
"""
import heapq
import random
import struct

import nccl
from nccl import ACK, DELAY, MS, PACKET, US, Communicator, Host

RNR_NAK = 0x20
RNR_TIMERS = {16: 2560 * US, 18: 5120 * US, 20: 10240 * US}  # IBTA vol. 1, table 45
SIZES = (0, 1000, 5000, 20000)


class Clock:
    def __init__(self):
        self.now, self.waiting, self.count = 1000 * MS, [], 0

    def at(self, time, call, *arguments):
        self.count += 1
        heapq.heappush(self.waiting, (max(time, self.now), self.count, call, arguments))

    def run(self):
        while self.waiting:
            self.now, _, call, arguments = heapq.heappop(self.waiting)
            call(*arguments)


class Requests:
    """The packets of one direction of a queue pair. The responder takes them in order; after a NAK or a timeout the requester goes back."""

    def __init__(self, clock, queue, responder, timeout):
        self.clock, self.queue, self.responder, self.timeout = clock, queue, responder, timeout
        self.posted, self.next, self.acknowledged, self.expected, self.messages = [], 0, 0, 0, 0
        self.sending, self.has_nak, self.timer, self.not_before = False, False, 0, 0
        self.lost, self.not_ready = set(), {}   # numbers of packets, each once

    def post(self, packets, sent, arrived, completed):
        self.posted += [(packet, sent, arrived, completed) for packet in packets]
        self.go_on()

    def go_on(self):
        if not self.sending and self.next < len(self.posted):
            self.sending = True
            self.clock.at(self.not_before, self.send)

    def send(self):
        self.sending = False
        if self.clock.now < self.not_before or self.next == len(self.posted):
            return self.go_on()
        number, self.next = self.next, self.next + 1
        packet, sent, _, _ = self.posted[number]
        arrives = number not in self.lost
        self.lost.discard(number)
        self.queue.send(self.clock.now, *packet, arrives=arrives)
        sent(self.clock.now)
        if arrives:
            self.clock.at(self.clock.now + DELAY, self.arrive, number)
        self.not_before = max(self.not_before, self.clock.now + PACKET)
        self.start_timer()
        return self.go_on()

    def start_timer(self):
        self.timer += 1
        self.clock.at(self.clock.now + self.timeout, self.expire, self.timer)

    def expire(self, timer):
        if timer != self.timer or self.acknowledged == self.next:
            return
        if self.clock.now >= self.not_before:
            self.next = self.acknowledged
            self.go_on()
        self.start_timer()

    def arrive(self, number):
        if number > self.expected:
            if not self.has_nak:
                self.has_nak = True
                self.answer(nccl.NAK_SEQUENCE, self.expected)
        elif number == self.expected and number in self.not_ready:
            self.has_nak = True
            self.answer(RNR_NAK | self.not_ready.pop(number), number)
        else:
            last = self.posted[number][0][4]
            if number == self.expected:
                self.has_nak = False
                self.expected += 1
                self.messages += last
                if last:
                    self.posted[number][2]()
            if last:
                self.answer(0x1f, self.expected - 1)

    def answer(self, syndrome, number):
        def send(extended):
            self.responder.send(self.clock.now, nccl.ACKNOWLEDGE, self.posted[number][0][1], extended)
            self.clock.at(self.clock.now + DELAY, self.answered, syndrome, number)
        self.clock.at(self.clock.now + ACK, send, struct.pack(">I", syndrome << 24 | self.messages))

    def answered(self, syndrome, number):
        is_nak = syndrome != 0x1f
        completed = range(self.acknowledged, number + (not is_nak))
        if completed:
            self.acknowledged = completed[-1] + 1
            self.start_timer()
        for done in completed:
            if self.posted[done][0][4]:
                self.posted[done][3]()
        if is_nak:
            self.next = min(self.next, number)
            if syndrome != nccl.NAK_SEQUENCE:
                self.not_before = self.clock.now + RNR_TIMERS[syndrome & 0x1f]
            self.go_on()


class Step:
    """A transfer: when its slot was free, its buffer was announced, that arrived; what it is computed from was there, it was computed, sent."""

    def __init__(self):
        self.free = self.announced = self.heard = self.possible = self.ready = self.begun = self.sent = self.arrived = self.completed = None
        self.packets = 0


class Link(Communicator):
    """Transfers of a channel from one rank to the next. One begins if it is announced and computed, and those before it have begun."""

    def __init__(self, clock, sender, receiver, timeout, sizes, **how):
        super().__init__(sender, receiver, **how)
        self.clock, self.sizes_of, self.steps, self.next, self.addresses = clock, sizes, {}, 1, {}
        self.announcements = Requests(clock, self.pairs[0].a, self.pairs[0].b, timeout)
        self.data = {pair: Requests(clock, pair.b, pair.a, timeout) for pair in self.pairs}
        self.lost, self.not_ready, self.lost_announcements, self.lost_first = {}, {}, set(), set()
        self.proceed = None     # called when a transfer has arrived or is completed

    def step(self, index):
        return self.steps.setdefault(index, Step())

    def announce_next(self):
        index = self.index = self.index + 1
        self.step(index).announced = self.clock.now
        sizes = self.sizes_of(index)
        self.addresses[index] = [self.buffers + (index % 8 * 8 + i) * 0x40000 for i in range(len(sizes))]
        entries = [nccl.entry(self.layout, address, 0x40000, self.key, len(sizes), self.tag + i, index) for i, address in enumerate(self.addresses[index])]
        if index in self.lost_announcements:
            self.announcements.lost.add(len(self.announcements.posted))
        self.announcements.post(self.pairs[0].a.packets(self.ring + index % nccl.SLOTS * 8 * len(entries[0]), self.ring_key, b"".join(entries)),
                                lambda time: None, lambda: self.hear(index), lambda: None)

    def hear(self, index):
        self.step(index).heard = self.clock.now
        self.begin()

    def compute(self, index):
        self.step(index).ready = self.clock.now
        self.begin()

    def current_pairs(self):
        return [self.pairs[(self.next - 1) % len(self.pairs)]] if self.spread else self.pairs

    def begin(self):
        step = self.step(self.next)
        if step.ready is None or step.heard is None:
            return
        index, self.next = self.next, self.next + 1
        parts = self.data_of(self.sizes_of(index), self.addresses[index])
        step.left = step.uncompleted = sum(packet[4] for _, packets in parts for packet in packets)
        step.packets = sum(len(packets) for _, packets in parts)
        for number, (pair, packets) in enumerate(parts):
            requests = self.data[pair]
            if not number and index in self.lost:
                lost = min(self.lost[index], len(packets) - 1)
                requests.lost.add(len(requests.posted) + lost)
                self.lost_first |= {index} if not lost else set()
            if not number and index in self.not_ready:
                requests.not_ready[len(requests.posted) + len(packets) - 1] = self.not_ready[index]
            requests.post(packets, lambda time: self.send(step, time), lambda: self.arrive(step), lambda: self.complete(step))
        self.begin()

    @staticmethod
    def send(step, time):
        step.begun = time if step.begun is None else step.begun
        step.sent = time

    def arrive(self, step):
        step.left -= 1
        if not step.left:
            step.arrived = self.clock.now
            self.proceed()

    def complete(self, step):
        step.uncompleted -= 1
        if not step.uncompleted:
            step.completed = self.clock.now
            self.proceed()


class Channel:
    """A ring. A rank computes a step from what it received in the step before, if there is a slot to send it from."""

    def __init__(self, job, order, links):
        self.job, self.order, self.links = job, order, links
        self.entered, self.done, self.computing = [0] * len(order), [0] * len(order), [False] * len(order)
        for link in links:
            link.proceed = self.proceed

    def proceed(self):
        for place in range(len(self.order)):
            self.go_on(place)

    def has_all(self, place):
        """Whether the rank has finished a collective: received and completed all."""
        return self.done[place] == self.entered[place] * self.job.steps and \
            self.links[place - 1].step(self.done[place]).arrived is not None and self.links[place].step(self.done[place]).completed is not None

    def go_on(self, place):
        job, clock, index = self.job, self.job.clock, self.done[place] + 1
        into, out, last = self.links[place - 1], self.links[place], self.entered[place] * self.job.steps
        consumed = self.done[place] if into.step(self.done[place]).arrived is not None and self.done[place] == last else max(0, self.done[place] - 1)
        slots = min(last, consumed + job.slots)
        for free in range(into.index + 1, slots + 1):
            into.step(free).free = clock.now if into.step(free).free is None else into.step(free).free
        can_compute = not self.computing[place] and index <= last and (index <= job.slots or out.step(index - job.slots).completed is not None) and \
            ((index - 1) % job.steps == 0 or into.step(index - 1).arrived is not None)
        if can_compute and out.step(index).possible is None:
            out.step(index).possible = clock.now
        if clock.now < job.frozen[self.order[place]]:
            return
        while into.index < slots:
            into.announce_next()
        if last and self.has_all(place):
            job.finished(self.order[place])
        if can_compute:
            self.computing[place] = True
            clock.at(clock.now + job.time_of(self.order[place], index, self), self.computed, place, index)

    def computed(self, place, index):
        if self.job.clock.now < self.job.frozen[self.order[place]]:
            return self.job.clock.at(self.job.frozen[self.order[place]], self.computed, place, index)
        self.computing[place] = False
        self.done[place] = index
        self.links[place].compute(index)
        return self.go_on(place)


class Job:
    """A random job. delayed: False: without stalls, late ranks and losses."""

    def __init__(self, seed, delayed=True):
        self.dice = dice = random.Random(seed)
        self.clock, count = Clock(), dice.choice((2, 3, 3, 4, 5))
        self.hosts, self.frozen = [Host(i + 1) for i in range(count)], [0] * count
        self.slots, self.steps, self.collectives = dice.choice((1, 2, 4, 8)), dice.choice((2 * (count - 1), 8)), dice.choice((1, 3))
        self.base, self.gap, self.barrier, self.timeout = dice.choice((20, 60)) * US, dice.choice((0, 200 * US, 30 * MS)), dice.random() < .3, 8 * MS
        self.stalls, self.entries, self.inside, self.outside_since, self.pauses, self.entered, self.first = {}, {}, set(), None, [], [0] * count, {}
        self.make_channels(dice.choice((1, 1, 2, 3)))
        if delayed:
            self.delay(dice.choice(("stall", "stall", "late", "freeze", "loss", "not ready", "stall and loss")), dice.choice((3, 5, 20)) * MS)
        for rank in range(count):
            self.clock.at(self.clock.now + dice.randrange(30 * US), self.enter, rank)
        self.clock.run()
        for link in self.links:
            link.steps = {index: step for index, step in link.steps.items() if step.completed is not None}
            assert len(link.steps) == self.steps * self.collectives

    def make_channels(self, count):
        dice, sizes, receives = self.dice, {}, self.dice.choice((1, 1, 1, 3))
        size, varies = dice.choice(SIZES[1:]), dice.random() < .4
        sizes_of = lambda index: sizes.setdefault(index, [dice.choice(SIZES) if varies else size for _ in range(receives)])
        layouts = [layout for layout in nccl.LAYOUTS if receives == 1 or layout != "old"]
        how = {"qps": dice.choice((1, 1, 2, 4)), "layout": dice.choice(layouts), "big": dice.random() < .5, "adaptive": dice.random() < .3,
               "spread": dice.random() < .3}
        self.channels = []
        for _ in range(count):
            order = sorted(range(len(self.hosts)), reverse=dice.random() < .5)
            places = zip(order, order[1:] + order[:1])
            self.channels.append(Channel(self, order, [Link(self.clock, self.hosts[a], self.hosts[b], self.timeout, sizes_of, **how) for a, b in places]))
        self.links = [link for channel in self.channels for link in channel.links]

    def delay(self, kind, amount):
        dice, rank, total = self.dice, self.dice.randrange(len(self.hosts)), self.steps * self.collectives
        if "stall" in kind:
            steps = dice.sample(range(2, total + 1), min(total - 1, dice.randrange(1, 4)))
            self.stalls = {(rank, step, channel): amount for step in steps for channel in dice.sample(self.channels, dice.randrange(1, len(self.channels) + 1))}
        if kind == "late":
            self.entries = {(rank, number): amount for number in range(1, self.collectives) if dice.random() < .7}
        if kind == "freeze":
            self.clock.at(self.clock.now + dice.randrange(1, 10) * 100 * US, self.freeze, rank, amount)
        for _ in range(dice.randrange(1, 4) if "loss" in kind or kind == "not ready" else 0):
            link, index = dice.choice(self.links), dice.randrange(2, total + 1)
            if kind == "not ready":
                link.not_ready[index] = dice.choice(list(RNR_TIMERS))
            elif kind == "loss" and dice.random() < .3:
                link.lost_announcements.add(index)
            else:
                link.lost[index] = dice.choice((1, 3, 99))

    def freeze(self, rank, amount):
        self.frozen[rank] = self.clock.now + amount
        for channel in self.channels:
            self.clock.at(self.frozen[rank], channel.proceed)

    def time_of(self, rank, index, channel):
        return self.base + self.dice.randrange(10 * US) + self.stalls.get((rank, index, channel), 0)

    def enter(self, rank):
        if self.clock.now < self.frozen[rank]:
            return self.clock.at(self.frozen[rank], self.enter, rank)
        if self.outside_since is not None and not self.inside:
            self.pauses.append((self.outside_since, self.clock.now))
        self.inside.add(rank)
        self.entered[rank] += 1
        self.first.setdefault(self.entered[rank], self.clock.now)
        for channel in self.channels:
            channel.entered[channel.order.index(rank)] += 1
            channel.go_on(channel.order.index(rank))

    def finished(self, rank):
        if rank not in self.inside or not all(channel.entered[channel.order.index(rank)] == self.entered[rank] and channel.has_all(channel.order.index(rank))
                                              for channel in self.channels):
            return
        self.inside.discard(rank)
        self.outside_since = None if self.inside else self.clock.now
        ready = set(range(len(self.hosts))) - self.inside if not self.barrier else () if self.inside else range(len(self.hosts))
        for other in [rank] if not self.barrier else ready:
            if self.entered[other] < self.collectives:
                late = self.entries.get((other, self.entered[other]), 0)
                self.clock.at(self.clock.now + self.gap + 20 * US + self.dice.randrange(30 * US) + late, self.enter, other)

    def paused(self, begin, end):
        return sum(max(0, min(end, until) - max(begin, since)) for since, until in self.pauses)

    def delays(self):
        """Of each transfer, by link and index: {"sender": ns, "receiver", "network", "pause", and the own parts of the first two}."""
        found = {}
        for link in self.links:
            free = None     # the transfers before it are sent
            for index in sorted(link.steps):
                found[link, index] = self.delays_of(link, index, free)
                free = max(free or 0, link.steps[index].sent)
        return found

    def delays_of(self, link, index, free):
        step, first = link.steps[index], self.first[(index - 1) // self.steps + 1]
        since = max(step.heard, free or 0)
        sender, pause, receiver = max(0, step.ready - since), self.paused(since, max(since, step.ready)), 0
        sender -= pause
        if free is not None and sender < MS:
            between = self.paused(free, max(free, step.announced))
            receiver = max(0, step.announced - free) - between
            pause += between
        network = max(0, step.sent - step.begun - PACKET * step.packets) + max(0, step.completed - step.sent - 2 * DELAY - ACK - PACKET)
        if step.heard - step.announced - DELAY > MS:
            network += max(0, step.begun - max(step.announced + DELAY, free or 0))
        begins = (index - 1) % self.steps == 0
        possible = max(first, link.steps[index - 1].completed if index > 1 else 0) if begins else step.possible
        slot = max(first, min(step.free, free or step.free)) if (index - 1) % self.steps < self.slots else step.free
        return {"sender": sender, "receiver": receiver, "network": network, "pause": pause,
                "sender_own": min(sender, max(0, step.ready - max(since, possible))),
                "receiver_own": min(receiver, max(0, step.announced - max(free or 0, slot)))}

    def blame(self, delays):
        """The host with most own delays, its part of those of all, the longest one of any host."""
        own = {host: [0, 0] for host in self.hosts}
        for (link, _), delay in delays.items():
            own[link.sender][0] += delay["sender_own"]
            own[link.receiver][1] += delay["receiver_own"]
        most = max(self.hosts, key=lambda host: max(own[host]))
        longest = max(max(delay["sender_own"], delay["receiver_own"]) for delay in delays.values())
        return most, max(own[most]) / max(1, sum(max(pair) for pair in own.values())), longest
