import dataclasses
import typing


@dataclasses.dataclass
class A:
    x: "int"
    y: typing.Optional["A"] = None


print(typing.get_type_hints(A), A(1), A.__module__, A.__qualname__)
