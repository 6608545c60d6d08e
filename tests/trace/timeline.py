# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Timelines, as protoc reads them, played.

Owns: what a file of --perfetto has to be: no field is unknown, every name and track
that is used was said before, every end has its begin, and on a track time goes on.
Usage: timeline.py FILE prints what is in it: slices as they end, but for times.
"""
import os
import re
import subprocess
import sys

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timeline.proto")


def parsed(lines):
    """{"field": [value, ...]} of protoc's text, up to the end of the message."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            message.setdefault(line[:-2], []).append(parsed(lines))
            continue
        name, value = line.split(": ", 1)
        if name.isdigit():
            raise ValueError(f"a field that is not known: {line}")
        if value[0] == '"':
            value = value[1:-1].encode("latin-1").decode("unicode_escape")
            value = value.encode("latin-1").decode("utf-8")
        elif re.fullmatch(r"-?\d+", value):
            value = int(value)
        message.setdefault(name, []).append(value)
    return message


def one(message, name, default=None):
    return message.get(name, [default])[0]


class Timeline:
    """tracks: {id: name}; slices: (track, name, depth, begin, end, retval); instants:
    (track, name, time); counters: {name: [values]}; still: names that are open."""

    def __init__(self, path):
        with open(path, "rb") as file:
            text = subprocess.run(["protoc", "--proto_path", os.path.dirname(SCHEMA),
                                   "--decode=Trace", SCHEMA], stdin=file, check=True,
                                  stdout=subprocess.PIPE).stdout.decode("latin-1")
        self.tracks, self.kinds, self.names = {}, {}, {}
        self.slices, self.instants, self.counters = [], [], {}
        self.open, self.last = {}, {}
        packets = parsed(iter(text.splitlines())).get("packet", [])
        assert one(packets[0], "sequence_flags") == 1, packets[0]
        clocks = packets[0]["clock_snapshot"][0]["clocks"]
        assert [one(clock, "clock_id") for clock in clocks] == [1, 3, 6], clocks
        for packet in packets:
            assert one(packet, "trusted_packet_sequence_id") == 1, packet
            self.take(packet)
        self.still = [name for calls in self.open.values() for name, _, _ in calls]

    def take(self, packet):
        for name in one(packet, "interned_data", {}).get("event_names", []):
            self.names[one(name, "iid")] = one(name, "name")
        if "track_descriptor" in packet:
            track = packet["track_descriptor"][0]
            thread = one(track, "thread", {})
            self.tracks[one(track, "uuid")] = one(track, "name") or \
                one(thread, "thread_name")
            self.kinds[one(track, "uuid")] = "counter" if "counter" in track else \
                "thread" if thread else "process" if "process" in track else "other"
        if "track_event" in packet:
            self.happen(packet["track_event"][0], one(packet, "timestamp"))

    def happen(self, event, now):
        on, kind = one(event, "track_uuid"), one(event, "type")
        assert on in self.tracks, f"no track for {event}"
        calls = self.open.setdefault(on, [])
        assert (self.kinds[on] == "counter") == (kind == "TYPE_COUNTER"), event
        if kind == "TYPE_COUNTER":
            self.counters.setdefault(self.tracks[on], []).append(
                one(event, "counter_value"))
            return
        assert self.kinds[on] != "thread" or now >= self.last.get(on, 0), \
            f"{event} is {self.last[on] - now} ns too early"
        self.last[on] = now
        if kind == "TYPE_SLICE_BEGIN":
            calls.append((self.names[one(event, "name_iid")], now, len(calls)))
        elif kind == "TYPE_SLICE_END":
            name, begin, depth = calls.pop()
            value = one(event, "debug_annotations", {})
            self.slices.append((on, name, depth, begin, now, one(value, "int_value")))
        else:
            assert kind == "TYPE_INSTANT", event
            self.instants.append((on, one(event, "name"), now))


def main():
    timeline = Timeline(sys.argv[1])
    for on, name, depth, _, _, value in timeline.slices:
        print(f"{timeline.tracks[on]}: {'  ' * depth}{name} = {value}")
    for on, name, _ in timeline.instants:
        print(f"{timeline.tracks[on]}: {name}!")
    for name, values in timeline.counters.items():
        print(name, *values)
    for name in timeline.still:
        print(f"{name}...")


if __name__ == "__main__":
    main()
