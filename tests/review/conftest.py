"""The databases, for the tests that need one."""

from tests.servers.databases import sqlite_database as sqlite_database
