import Arguments
import CoreML
import Foundation
import Service
import Studio
import StyleTransfer

/// `atelier serve`: serves models to clients of the Open Inference Protocol.
enum ServeCommand: Command {
  static let syntax = CommandSyntax(
    "serve", summary: "Serves models to clients of the Open Inference Protocol (KServe V2).",
    operands: [
      .init(
        "MODEL", .atLeastOne,
        help: "A model file, a fetched model's or a style's name, or NAME=FILE")
    ],
    options: [
      .init("port", value: "N", help: "The port (default: 8080); 0 for any free one."),
      .init(
        "listen", value: "ADDRESS",
        help: "The IP address (default: 127.0.0.1, only this machine). On\n"
          + "any other address, clients need a token."),
      .init("token", help: "Clients need a token on 127.0.0.1, too."),
      .init(
        "token-file", value: "FILE",
        help: "The file that holds the token. Without it, the server makes\n"
          + "a token and prints it."),
      .init(
        "no-token",
        help: "Clients need no token, for a network in which a proxy checks\n"
          + "them."),
      .init(
        "host", value: "NAME", repeats: true,
        help: "Another host name under which clients reach the server, such\n"
          + "as painter.models.svc; *.NAME for all that end so, * for any."),
      .init(
        "batch", value: "N",
        help: "Computes up to N waiting requests as one batch, for models\n"
          + "whose first axis is a batch of any length (default: 1)."),
      .init("body-limit", value: "MB", help: "The largest body of a request in MB (default: 64)."),
      .init(
        "time-limit", value: "SECONDS", help: "Stops longer predictions (default: 300)."),
      .init(
        "grace", value: "SECONDS",
        help: "How long the server answers open requests after SIGTERM\n"
          + "(default: 25)."),
      .init(
        "compute-units", value: "UNITS", choices: ["cpuOnly", "all"],
        help: "cpuOnly computes in float32, all (default) in the fastest type\n"
          + "of this processor."),
      ModelOptions.threads,
    ],
    notes: """
      Example: atelier serve starry-night classifier=Classifier.mlpackage --port 8080
      GET /v2/openapi.json describes the HTTP interface, GET /metrics has counters for Prometheus.
      Ctrl-C and SIGTERM end the server after it has answered all accepted requests.
      """)

  static func run(_ arguments: ParsedArguments) throws {
    var options = InferenceServer.Options()
    options.models = try models(arguments.operands)
    options.address = arguments.value("listen") ?? options.address
    if let port = try arguments.integer("port", in: 0...65535) { options.port = UInt16(port) }
    options.hosts = arguments.values("host")
    options.batch = try arguments.integer("batch", in: 1...1024) ?? options.batch
    if let limit = try arguments.integer("body-limit", in: 1...4096) {
      options.bodyBytes = limit << 20
      options.waitingBytes = max(options.waitingBytes, 4 * options.bodyBytes)
    }
    if let seconds = try arguments.integer("time-limit", in: 1...86400) {
      options.predictionSeconds = Double(seconds)
    }
    if let seconds = try arguments.integer("grace", in: 0...3600) {
      options.grace = Double(seconds)
    }
    if try arguments.choice("compute-units", of: ["cpuOnly", "all"]) == "cpuOnly" {
      options.units = .cpuOnly
    }
    options.threads = try arguments.integer("threads", in: 1...1024)
    let isPrinted = try chooseToken(arguments, &options)
    let server = try InferenceServer(options)
    try server.start()
    let host = options.address.contains(":") ? "[\(options.address)]" : options.address
    Output.line("The server is open: http://\(host):\(server.port)/v2")
    if isPrinted, let token = options.token {
      Output.errorLine("Clients need the header 'Authorization: Bearer \(token)'.")
    }
    Interruption.stoppable {
      while !Interruption.wantsToStop { usleep(50_000) }
      if !server.stop() {
        Output.errorLine(
          "The server ended after \(Int(options.grace)) s, before it had answered all requests.")
      }
    }
  }

  /// Reads or makes the token. Returns whether the server must print it.
  private static func chooseToken(
    _ arguments: ParsedArguments, _ options: inout InferenceServer.Options
  ) throws -> Bool {
    if arguments.has("no-token") {
      guard !arguments.has("token"), !arguments.has("token-file") else {
        throw UsageError("--no-token excludes --token and --token-file.")
      }
      return false
    }
    if let path = arguments.value("token-file") {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw CommandError("Token '\(path)': the file cannot be read. Check the path.")
      }
      let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard token.utf8.count >= 16, token.utf8.allSatisfy({ (33...126).contains($0) }) else {
        throw CommandError(
          "Token '\(path)': expected one line of at least 16 visible ASCII characters.")
      }
      options.token = token
      return false
    }
    guard arguments.has("token") || !AccessPolicy.isLoopback(options.address) else { return false }
    options.token = AccessPolicy.makeToken()
    return true
  }

  /// Returns the names and the files of the models.
  private static func models(_ words: [String]) throws -> [(name: String, file: URL)] {
    var models: [(name: String, file: URL)] = []
    for word in words {
      let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
      let isNamed: Bool = halves.count == 2 && !FileManager.default.fileExists(atPath: word)
      let file = try location(isNamed ? halves[1] : word)
      let name: String =
        isNamed
        ? halves[0]
        : FileManager.default.fileExists(atPath: word)
          ? file.deletingPathExtension().lastPathComponent : word
      guard !name.isEmpty, !name.contains("/"), name.utf8.count <= 200 else {
        throw UsageError("'\(word)': the name of a model must not be empty or contain a slash.")
      }
      guard !models.contains(where: { $0.name == name }) else {
        throw UsageError("Two models have the name '\(name)'. Name one with NAME=FILE.")
      }
      models.append((name, file))
    }
    return models
  }

  private static func location(_ word: String) throws -> URL {
    if !FileManager.default.fileExists(atPath: word), !word.contains("/"),
      let style = try? StyleGallery.installed().entry(word)
    {
      return try style.model(lite: false)
    }
    let file = try ModelLocation.resolve(word)
    guard ["mlmodel", "mlpackage", "mlmodelc"].contains(file.pathExtension.lowercased()) else {
      throw CommandError(
        "Model '\(word)': expected a .mlmodel, .mlpackage or .mlmodelc file. `atelier convert`"
          + " makes one of a model of another format.")
    }
    return file
  }
}
