from collections.abc import Generator

from dify_plugin import Tool
from dify_plugin.entities.tool import ToolInvokeMessage

# Long enough that the SDK sends it in three chunks.
IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 80


class Radar(Tool):
    def _invoke(self, tool_parameters: dict) -> Generator[ToolInvokeMessage]:
        city = tool_parameters["city"]
        start = ToolInvokeMessage.LogMessage.LogStatus.START
        log = self.create_log_message(label="asked", data={"city": city}, status=start)
        yield log
        yield self.create_text_message(f"Light rain in {city}")
        yield self.create_json_message({"celsius": 7, "hours": [1, 2.5, None]})
        yield self.create_blob_message(IMAGE, meta={"mime_type": "image/png", "filename": "radar.png"})
        yield self.create_link_message("https://example.com/radar")
        yield self.create_variable_message("station", {"name": "Blindern", "height": 94})
        yield self.finish_log_message(log)
