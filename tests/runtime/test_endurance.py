"""Many threads and many calls through one decorated function."""

import gc
import os
import sys
import threading

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import ShapeError, shapechecked

THREADS = 8


@shapechecked
def project(x: Float[Tensor, "B T"], w: Float[Tensor, "T D"], right: bool) -> Float[Tensor, "B D"]:
    return torch.empty(x.shape[0], w.shape[1] + (not right), device="meta")


@shapechecked
def sees_the_transpose(x: Float[Tensor, "B T"], y: Tensor) -> bool:
    """Sees its own call's sizes, and no other thread's."""
    return isinstance(y, Float[Tensor, "T B"])


def calls_with_sizes_of_its_own(number, rounds, wrong, ready):
    rows, columns = 2 + number, 20 + number
    fits = torch.empty(rows, columns, device="meta"), torch.empty(columns, 3, device="meta")
    other = torch.empty(columns + 1, 3, device="meta")
    ready.wait()
    for _ in range(rounds):
        try:
            if project(*fits, True).shape != (rows, 3):
                wrong.append("result")
            if not sees_the_transpose(fits[0], fits[0].mT) or sees_the_transpose(fits[0], fits[0]):
                wrong.append("isinstance")
        except ShapeError as error:
            wrong.append(str(error))
        for arguments, sizes in (((fits[0], other, True), (columns, columns + 1)), ((*fits, False), (3, 4))):
            try:
                project(*arguments)
            except ShapeError as error:
                if (error.expected, error.actual) != sizes:
                    wrong.append(str(error))
            else:
                wrong.append("passed")


def run_threads(rounds):
    wrong, ready = [], threading.Barrier(THREADS)
    threads = [
        threading.Thread(target=calls_with_sizes_of_its_own, args=(number, rounds, wrong, ready))
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_threads_do_not_see_each_others_sizes():
    assert not run_threads(50)


@pytest.mark.full
def test_eight_threads_with_ten_thousand_calls_each():
    assert not run_threads(10_000 // 3 + 1)  # three calls of `project` a round


def growth(calls):
    """How many memory blocks of Python and how many bytes of the process stay taken after a number of calls."""
    x, w = torch.empty(2, 3, device="meta"), torch.empty(3, 4, device="meta")

    def some(count):
        for index in range(count):
            project(x, w, True)
            if index % 100 == 0:
                for arguments in ((w, w, True), (x, w, False)):
                    try:
                        project(*arguments)
                    except ShapeError:
                        continue
                sees_the_transpose(x, x)

    some(5000)
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), resident_bytes()
    some(calls)
    gc.collect()
    return sys.getallocatedblocks() - blocks, resident_bytes() - resident


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.full
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident memory is read from /proc")
def test_memory_does_not_grow_in_a_million_calls():
    blocks, resident = growth(1_000_000)
    assert blocks < 1000
    assert resident < 1_000_000
