"""Snow on real sockets: an asyncio driver around the core, and the library that people use.

Start at `cluster`: it puts together the driver, the streams, the datagrams and the feeds. Nothing
the core decides is decided here. All of a cluster's sockets and callbacks belong to one event loop.
"""
