# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap top in a terminal (tmux)."""
import os
import shutil
import subprocess
import unittest

from cli import CliTest, PROGRAM, TESTDATA, TIMEOUT, environment, needs_terminal, wait_until

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
NFS_V6 = os.path.join(TESTDATA, "roce-nfs3-v6.pcap.gz")


@unittest.skipUnless(shutil.which("tmux"), "tmux is missing")
@needs_terminal
class Top(CliTest):
    def tmux(self, *arguments):
        return subprocess.run(("tmux", "-S", self.path("tmux"), "-f", "/dev/null") + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment(TERM="xterm"), timeout=TIMEOUT, check=False).stdout.decode()

    def start(self, *arguments, width=120, height=20):
        command = "trap : INT; " + " ".join((PROGRAM, "top") + arguments) + "; echo \"ended $?\"; sleep 60"
        self.addCleanup(self.tmux, "kill-server")
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "sh", "-c", command)

    def screen(self):
        return self.tmux("capture-pane", "-p").splitlines()

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def await_text(self, text):
        wait_until(lambda: any(text in line for line in self.screen()))
        return self.screen()

    def rows(self):
        return [line.split()[0] for line in self.screen()[3:] if line.strip()]

    def skip_without_screen(self):
        wait_until(lambda: any(line.strip() for line in self.screen()))
        if any("without ncurses" in line for line in self.screen()):
            self.skipTest("built without ncurses")

    def test_a_file(self):
        self.start(NFS)
        self.skip_without_screen()
        screen = self.await_text("1049 packets")
        self.assertIn("roce-nfs3.pcap.gz: 1049 packets, 8 connections; ", screen[0])
        self.assertIn("by rate", screen[1])
        self.assertTrue(screen[3].split()[1:3] == ["NFS", "v3"], screen[3])  # the most bytes
        self.press("n")
        self.await_text("by number")
        # tmux may show the new heading with rows of before
        wait_until(lambda: self.rows() == [str(number) for number in range(1, 9)])
        self.press("/", "NFS", "Enter")
        self.await_text("filter NFS")
        wait_until(lambda: len(self.rows()) == 1)
        self.press("Enter")
        screen = self.await_text("the latest operations")
        self.assertTrue(all("nfs REMOVE" in line for line in screen[3:]), screen)
        self.press("q")
        self.await_text("filter NFS")
        self.press("q")
        self.await_text("ended 0")

    def test_a_file_at_its_speed(self):
        """The limit is two seconds; it takes half as long."""
        self.start("--speed", "2", NFS)
        self.skip_without_screen()
        self.await_text("1049 packets")
        self.press("q")
        self.await_text("ended 0")

    def test_messages_of_a_connection_without_operations(self):
        self.start(os.path.join(TESTDATA, "roce-rping-v4.pcap"))
        self.skip_without_screen()
        self.await_text("10.0.0.2")
        self.press("Enter")
        screen = self.await_text("the latest messages")
        self.assertTrue(all("send 16 B" in line or "read 200 B" in line or "write 200 B" in line for line in screen[3:]), screen)
        self.press("Escape")
        self.await_text("by rate")
        self.press("q")
        self.await_text("ended 0")

    def test_a_small_terminal(self):
        self.start(NFS, width=40, height=6)
        self.skip_without_screen()
        self.await_text("NFS v3")
        for _ in range(5):
            self.press("Down")
        self.press("Enter")
        self.await_text("connection")
        self.press("q", "q")
        self.await_text("ended 0")

    def layout(self, capture, width, ends, titles):
        """The first row ends with the ends of the connection, below their title."""
        self.start(capture, width=width)
        self.skip_without_screen()
        screen = self.await_text("NFS v3")
        self.assertRegex(screen[1], "by rate.* q quits$")
        self.assertEqual(screen[2].split(), ("# service %s a > b" % titles).split())
        self.assertRegex(screen[3], "^ +3  NFS v3 ")
        self.assertEqual(screen[3][screen[2].index("a > b"):], ends)
        return screen

    # as many columns as there is room for beside the ends of each connection

    def test_80_columns(self):
        screen = self.layout(NFS, 80, "10.0.0.2:0x13d > 10.0.0.1:0x123", "rate p99 lat. lost")
        self.assertEqual(screen[-1], "")

    def test_100_columns(self):
        screen = self.layout(NFS, 100, "10.0.0.2:0x13d > 10.0.0.1:0x123", "rate p99 lat. lost retrans.")
        self.assertEqual(screen[-1], "")

    def test_132_columns(self):
        screen = self.layout(NFS, 132, "10.0.0.2:0x13d > 10.0.0.1:0x123", "rate pkt/s p99 lat. lost retrans. NAKs CNPs")
        self.assertEqual(screen[-1], "")

    def test_80_columns_of_ipv6(self):
        """Ends that have no room lose their first characters; the last line has those of the selected connection."""
        screen = self.layout(NFS_V6, 80, "~00:77::2:0x73 > fd00:77::1:0x71", "rate p99 lat. lost")
        self.assertEqual(screen[-1], "fd00:77::2:0x73 > fd00:77::1:0x71")
        self.press("Down")
        wait_until(lambda: self.screen()[-1] != screen[-1])
        # the column by which rows are sorted takes its room from the ends
        self.press("c")
        screen = self.await_text("by CNPs")
        self.assertIn(" CNPs ", screen[2])
        self.assertRegex(screen[3], r" ~\S+ > ~\S+$")

    def test_132_columns_of_ipv6(self):
        screen = self.layout(NFS_V6, 132, "fd00:77::2:0x73 > fd00:77::1:0x71", "rate pkt/s p99 lat. lost retrans. NAKs CNPs")
        self.assertEqual(screen[-1], "")

    def test_an_interrupt_restores_the_terminal(self):
        self.start(NFS)
        self.skip_without_screen()
        self.await_text("NFS v3")
        self.press("C-c")
        self.await_text("ended")

    def test_not_a_terminal(self):
        done = self.run_program("top", NFS)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(b"needs a terminal" in done.stderr or b"without ncurses" in done.stderr, done.stderr)
