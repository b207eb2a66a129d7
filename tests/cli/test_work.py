# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Work grows linearly with the input: each case is a capture with one growing quantity, and one with twice as much of it."""
import random
import unittest

import worst_cases as make
import worst_storage as storage
from cli import RPING
from doubling import CANON, DoublingTest, FILES, MESSAGES, OPERATIONS, PACKETS, SHARE, STATS

# What grows, its amount, and the commands that read it.
QUEUE_PAIRS = (
    (make.reads_outstanding, 10000, (PACKETS, CANON)),
    (make.reads_answered, 10000, (PACKETS, CANON)),
    (make.connections, 7000, (STATS, CANON)),
    (make.connections_with_gaps, 2000, (STATS,)),
    (make.half_open_messages, 7000, (PACKETS, CANON)),
    (make.torn_messages, 10000, (PACKETS, CANON)),
    (make.random_psns, 10000, (PACKETS, CANON)),
    (make.scattered_psns, 5000, (PACKETS, CANON)),
    (make.responses_alone, 2000, (PACKETS, CANON)),
    (make.sends_after_a_read, 10000, (PACKETS,)),
    (make.sends_in_reverse, 10000, (PACKETS,)),
    (make.writes_overlapping, 10000, (PACKETS,)),
    (make.path_mtus, 10000, (PACKETS,)),
    (make.unpaired_ends, 3000, (PACKETS, CANON)),
    (make.ends_paired_late, 3000, (PACKETS,)),
    (make.messages_of_random_length, 5000, (STATS, CANON)),
)
CALLS = (
    (make.calls_of_one_key, 3000, (MESSAGES, FILES)),
    (make.calls_of_one_client, 7000, (MESSAGES, FILES)),
    (make.calls_unanswered, 7000, (MESSAGES, FILES)),
    (make.calls_read_by_one_key, 6000, (MESSAGES, FILES)),
    (make.calls_answered_late, 5000, (MESSAGES,)),
    (make.segments_of_calls, 600, (MESSAGES, FILES)),
    (make.segments_of_other_keys, 600, (MESSAGES,)),
    (make.read_segments_of_calls, 1000, (MESSAGES, FILES)),
)
FRAGMENTS = (
    (make.fragments_unfinished, 8000, (PACKETS,)),
    (make.fragments_of_datagrams, 20000, (PACKETS,)),
    (make.fragments_overlapping, 10000, (PACKETS,)),
)
STREAMS = (
    (make.tcp_connections, 6000, (PACKETS, CANON)),
    (make.tcp_gaps, 8000, (PACKETS,)),
    (make.tcp_in_reverse, 8000, (PACKETS,)),
    (make.tcp_scattered, 4000, (PACKETS,)),
    (make.tcp_overlaps, 8000, (PACKETS,)),
    (make.records_scattered, 4000, (PACKETS,)),
    (make.mpa_lost, 2000, (PACKETS,)),
    (make.iwarp_reads_outstanding, 10000, (PACKETS, CANON)),
    (make.iwarp_sends, 10000, (PACKETS, CANON)),
)
NAMES = (
    (make.renames_of_a_directory, 4000, (FILES,)),
    (make.renames_of_files, 4000, (FILES,)),
    (make.links_of_a_file, 3000, (FILES,)),
    (make.directories_nested, 4000, (FILES,)),
    (make.writes_scattered, 5000, (FILES,)),
)
SHARES = (
    (storage.smb_renames_around_a_file, 600, (FILES, OPERATIONS)),
    (storage.smb_renames_around_a_long_path, 500, (FILES, OPERATIONS)),
    (storage.smb_opens_on_a_long_path, 200, (FILES, OPERATIONS)),
    (storage.smb_renames_of_many_directories, 150, (FILES,)),
    (storage.smb_names_that_differ_in_case, 3000, (OPERATIONS,)),
    (storage.smb_names_that_differ_at_the_end, 3000, (OPERATIONS,)),
    (storage.smb_lost_requests, 1200, (FILES,)),
    (storage.smb_files_of_lost_opens, 600, (FILES,)),
)
BLOCKS = (
    (storage.copies_of_copies, 2500, (FILES,)),
    (storage.copies_of_one_block, 2500, (FILES,)),
    (storage.copies_under_way, 2500, (FILES,)),
    (storage.copies_of_a_range_of_blocks, 1000, (FILES,)),
    (storage.namespaces_without_a_name, 300, (FILES,)),
    (storage.namespaces_with_and_without_a_name, 200, (FILES,)),
)
TRANSFERS = (
    (storage.rds_messages, 10000, (OPERATIONS,)),
    (storage.rds_messages_unacknowledged, 6000, (OPERATIONS,)),
    (storage.rds_messages_in_reverse, 5000, (OPERATIONS,)),
    (storage.rds_fragments_of_many_messages, 5000, (OPERATIONS,)),
    (storage.nccl_transfers, 10000, (OPERATIONS,)),
    (storage.nccl_announcements, 6000, (OPERATIONS,)),
    (storage.nccl_data_in_any_order, 6000, (OPERATIONS,)),
)
MANAGEMENT = (
    (make.mad_records, 4000, (PACKETS, MESSAGES)),
    (make.mad_transactions, 5000, (PACKETS, MESSAGES)),
)


def canon_of_random_lengths(count, kinds, seed):
    """What `rdmatap canon` writes of `count` messages."""
    dice = random.Random(seed)
    messages = ["message > kind=send length=%d packets=1 status=good" % dice.randrange(kinds) for _ in range(count)]
    return "\n".join(["rdmatap-canon 1 level=messages", "connection transport=RC client=10.0.0.2 server=10.0.0.1", *messages,
                      "end connections=1", ""]).encode()


class Work(DoublingTest):
    def cases(self, cases):
        for case, count, commands in cases:
            self.doubling(case, count, *commands)

    def test_grows_with_queue_pairs_and_their_messages(self):
        self.cases(QUEUE_PAIRS)

    def test_torn_sends_make_no_acknowledgement_costly(self):
        """The others cost about as much as without them."""
        paths = [self.path("torn-%d.pcap" % torn) for torn in (0, 64)]
        for torn, path in zip((0, 64), paths):
            make.write(path, make.sends_after_torn_ones(10000 // SHARE, torn))
        self.holds("torn SENDs", *(lambda path=path: self.seconds(PACKETS, path) for path in paths))

    def test_grows_with_calls_and_their_segments(self):
        self.cases(CALLS)

    def test_grows_with_fragments(self):
        self.cases(FRAGMENTS)

    def test_grows_with_tcp_and_iwarp(self):
        self.cases(STREAMS)

    def test_grows_with_names_of_files(self):
        self.cases(NAMES)

    def test_grows_with_files_of_shares(self):
        self.cases(SHARES)

    def test_grows_with_blocks_of_devices(self):
        self.cases(BLOCKS)

    def test_grows_with_transfers_of_rds_and_nccl(self):
        self.cases(TRANSFERS)

    def test_grows_with_management(self):
        self.cases(MANAGEMENT)

    def test_grows_with_captures_that_have_nothing_in_common(self):
        """diff ends with status 1."""
        paths = {}
        for count in (2000, 4000):
            for seed in (1, 2):
                paths[count, seed] = self.path("%d-%d.pcap" % (count, seed))
                make.write(paths[count, seed], make.messages_of_random_length(count, seed))
        self.holds("diff", *(lambda count=count: self.seconds(("diff",), paths[count, 1], paths[count, 2], status=1)
                             for count in (2000, 4000)))

    def test_grows_with_texts_that_have_little_in_common(self):
        """Lines that are all elsewhere in the other text, or none of them."""
        for kinds in (3, 300, 10**9):
            texts = {}
            for count in (15000, 30000):
                texts[count] = [self.path("%s-%d.canon" % (name, count), canon_of_random_lengths(count, kinds, name)) for name in "ab"]
            with self.subTest(kinds=kinds):
                self.holds("diff of texts", *(lambda count=count: self.seconds(("diff", "--stat"), *texts[count], status=1) for count in (15000, 30000)))

    def test_grows_with_filters(self):
        """Many conditions, and many numbers in a set. Capture filters are compiled by libpcap and bounded: tests/test_bpf.c."""
        for form in "side by side", "a set":
            def filtered(count, form=form):
                values = ["%d" % i for i in range(count)]
                text = "infiniband.bth.psn in {%s}" % " ".join(values) if form == "a set" else \
                    " or ".join("ip.id == %s" % value for value in values)
                return self.seconds(("-q", "-Y", text, "-r"), RPING)
            count = {"side by side": 1500, "a set": 4000}[form]
            with self.subTest(form):
                self.holds(form, lambda: filtered(count), lambda: filtered(2 * count))


if __name__ == "__main__":
    unittest.main()
