from dify_plugin import ToolProvider


class Counterpart(ToolProvider):
    def _validate_credentials(self, credentials: dict) -> None:
        pass
