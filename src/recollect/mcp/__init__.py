"""The door for assistants that speak the Model Context Protocol: Claude Desktop, Cursor and the like.

Whose memory it opens is said by whoever starts it, or by a bearer token; nothing that a model can say changes it.
"""

from recollect.errors import MissingExtra

try:
    from mcp.server import MCPServer as MCPServer  # an `mcp` before 2 has none
except ImportError as missing:
    raise MissingExtra("`recollect mcp` needs: pip install 'recollect[mcp]'") from missing
