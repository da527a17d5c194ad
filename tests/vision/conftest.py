"""The drawn board and its reader, which the tests of ``table/`` share with these."""

from tests.table.conftest import bench, drawn, grid, live, put, sit  # noqa: F401 - fixtures
