"""Reads {"name": [messages]} and validates each message with the SDK's own class.

Prints the same with {"kind", "value"} for each: the class of its payload, or why there is none, and the message as the
class says it again, with no more than was given.
"""

import json
import sys

from dify_plugin.entities.tool import ToolInvokeMessage
from pydantic import ValidationError


def validated(message: dict) -> dict:
    try:
        read = ToolInvokeMessage.model_validate(message)
    except ValidationError as error:
        return {"kind": str(error), "value": message}
    return {"kind": type(read.message).__name__, "value": read.model_dump(mode="json", exclude_unset=True)}


print(json.dumps({name: [validated(one) for one in messages] for name, messages in json.load(sys.stdin).items()}))
