"""The protocol without sockets, clocks or tasks: hand events to a node, look at its effects."""

from random import Random

from snowcast.core.address import Address
from snowcast.core.config import Config
from snowcast.core.effects import Send
from snowcast.core.events import Broadcast, Start
from snowcast.core.frames import Data
from snowcast.core.member import Member, first_incarnation
from snowcast.core.node import Node

members = [
    Member(Address.of(f"10.0.0.{number}", 7946), first_incarnation(1)) for number in range(1, 21)
]
node = Node(members[0], Config(fanout=4), Random(1))
node.handle(Start(members=tuple(members[1:])), now_us=0)

print("the children of 10.0.0.1 in a cluster of 20:")
for effect in node.handle(Broadcast(b"hello"), now_us=1_000):
    if isinstance(effect, Send) and isinstance(effect.frame, Data):
        frame = effect.frame
        part = "a leaf" if frame.is_leaf else f"covers {frame.left or '-'} to {frame.right or '-'}"
        print(f"  {effect.to} {part}")
