/** What the drain is measured against: a server that just closes when it is told to stop, as most do. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume().on("end", () => response.end("{}"));
});
process.on("SIGTERM", () => server.close());
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`Listening on http://127.0.0.1:${server.address().port}\n`);
});
