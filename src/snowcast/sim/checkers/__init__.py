"""The invariants that a run can be held to, one file each, and the table `[check]` that asks.

A scenario names the checkers it wants by an empty or a filled table: `[check.delivered_once]`.
"""

from __future__ import annotations

import msgspec

from snowcast.sim.checkers.checker import Checker, Options
from snowcast.sim.checkers.crashes_detected import CrashesDetectedOptions
from snowcast.sim.checkers.delivered_once import DeliveredOnceOptions
from snowcast.sim.checkers.no_false_evictions import NoFalseEvictionsOptions
from snowcast.sim.checkers.no_leaks import NoLeaksOptions
from snowcast.sim.checkers.receipts_truthful import ReceiptsTruthfulOptions
from snowcast.sim.checkers.stable_covered import StableCoveredOptions
from snowcast.sim.checkers.views_converge import ViewsConvergeOptions


class Checks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[check]`: a checker whose table is not there is not run."""

    delivered_once: DeliveredOnceOptions | None = None
    stable_covered: StableCoveredOptions | None = None
    views_converge: ViewsConvergeOptions | None = None
    receipts_truthful: ReceiptsTruthfulOptions | None = None
    no_leaks: NoLeaksOptions | None = None
    no_false_evictions: NoFalseEvictionsOptions | None = None
    crashes_detected: CrashesDetectedOptions | None = None

    def make(self) -> list[Checker]:
        """The checkers that were asked for, in the order above."""
        asked = [getattr(self, name) for name in self.__struct_fields__]
        return [options.make() for options in asked if isinstance(options, Options)]
