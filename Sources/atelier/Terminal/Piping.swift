import Arguments
import Foundation

/// Standard input and standard output in place of files: `-` for one file that a command reads or writes.
///
/// Data from standard input are first written to a temporary file, because pictures and models are read in several
/// passes. A result for standard output is written to a temporary file until it is complete.
struct Piping {
  private var arguments: ParsedArguments
  private let syntax: CommandSyntax
  private let folder: URL
  /// The extension of the file from standard input. Nil if nothing is read from there.
  private var inputFormat: String?
  /// The temporary file that is copied to standard output. Nil without one.
  private var output: URL?

  /// Runs a command. Replaces `-` by temporary files.
  ///
  /// - Throws: `CommandError` for a URL in place of a file, `UsageError` if `-` is given where it has no meaning, or the
  ///   errors of `body`.
  static func run(
    _ arguments: ParsedArguments, _ syntax: CommandSyntax, _ body: (ParsedArguments) throws -> Void
  ) throws {
    try refuseURLs(arguments, syntax)
    guard !syntax.pipesItself, usesPipes(arguments, syntax) else { return try body(arguments) }
    try Interruption.withTemporaryFolder { folder in
      var piping = Piping(arguments: arguments, syntax: syntax, folder: folder)
      try piping.readInputs()
      try piping.prepareOutput()
      try body(piping.arguments)
      try piping.writeOutput()
    }
  }

  // MARK: Finding

  private static func isPipe(_ word: String) -> Bool {
    if word == "-" { return true }
    guard ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains(where: { word.hasPrefix($0) })
    else { return false }
    var status = stat()
    return stat(word, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private static func usesPipes(_ arguments: ParsedArguments, _ syntax: CommandSyntax) -> Bool {
    let options: [String] = syntax.options.filter { $0.value != nil }.map(\.name)
    return arguments.operands.contains(where: isPipe)
      || options.contains { name in
        arguments.values(name).contains { $0 == "-" || $0.hasSuffix("=-") }
      }
  }

  /// The operand that a position belongs to. The last operand may be given several times.
  private static func operand(_ position: Int, _ syntax: CommandSyntax) -> CommandSyntax.Operand? {
    syntax.operands.isEmpty
      ? nil : syntax.operands[min(position, syntax.operands.count - 1)]
  }

  private static func refuseURLs(_ arguments: ParsedArguments, _ syntax: CommandSyntax) throws {
    let operands: [String] = arguments.operands.enumerated().filter {
      operand($0.offset, syntax)?.kind == .file
    }.map(\.element)
    let values: [String] = syntax.options.filter { $0.kind == .file }
      .flatMap { arguments.values($0.name) }
    for word in operands + values {
      guard let end = word.range(of: "://"), word[..<end.lowerBound].allSatisfy(\.isLetter),
        end.lowerBound > word.startIndex, !FileManager.default.fileExists(atPath: word)
      else { continue }
      throw CommandError(
        "'\(word)' is a URL, expected a file. Download it first: curl -L -o FILE '\(word)'.")
    }
  }

  // MARK: Input

  private mutating func readInputs() throws {
    var count = 0
    func take(_ word: String) throws -> String {
      if word == "-" { count += 1 }
      guard count < 2 else {
        throw UsageError("'-' is given twice, but there is only one standard input.")
      }
      return try spool(word)
    }
    for (position, word) in arguments.operands.enumerated()
    where Self.isPipe(word) && Self.operand(position, syntax)?.kind == .file {
      arguments.replaceOperand(position, with: try take(word))
    }
    for option in syntax.options where !["output", "new-key", "sheet"].contains(option.name) {
      let values: [String] = arguments.values(option.name)
      if option.kind == .file, values.contains("-") {
        arguments.replaceValues(
          option.name, with: try values.map { $0 == "-" ? try take($0) : $0 })
      } else if option.value?.contains("=VALUE") == true,
        values.contains(where: { $0.hasSuffix("=-") })
      {
        arguments.replaceValues(
          option.name,
          with: try values.map { $0.hasSuffix("=-") ? $0.dropLast() + (try take("-")) : $0 })
      }
    }
  }

  /// Copies standard input, or another open pipe, to a temporary file, and returns its path.
  private mutating func spool(_ word: String) throws -> String {
    guard word != "-" || isatty(STDIN_FILENO) == 0 else {
      throw UsageError(
        "'-' reads standard input, which is a terminal. Pipe a file into it, or name a file.")
    }
    let handle: FileHandle? =
      word == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: word)
    guard let data = try handle?.readToEnd(), !data.isEmpty else {
      throw CommandError(
        "Standard input ('\(word)') is empty, expected a file. Pipe one into it.")
    }
    let ending: String = FileSignature.pathExtension(of: data)
    let name: String =
      word == "-" ? "standard-input" : URL(fileURLWithPath: word).lastPathComponent
    let file: URL = folder.appendingPathComponent("\(name).\(ending)")
    try data.write(to: file)
    Output.name(file.path, word)
    inputFormat = inputFormat ?? ending
    return file.path
  }

  // MARK: Output

  /// The option that names the result, if it is a file.
  private var outputOption: CommandSyntax.Option? {
    syntax.options.first { $0.name == "output" && $0.kind == .file }
  }

  private mutating func prepareOutput() throws {
    guard outputOption != nil else { return }
    let stated: String? = arguments.value("output")
    // A command that can choose the format of its result is a filter: if it reads standard input and names no result,
    // it writes to standard output.
    let isImplied: Bool =
      stated == nil && syntax.options.contains { $0.name == "format" }
      && arguments.operands.count == 1
      && arguments.operands[0].hasPrefix(folder.path)
    guard stated == "-" || isImplied else { return }
    guard isatty(STDOUT_FILENO) == 0 || syntax.pipedFormat == "swift" else {
      throw UsageError(
        "the result would go to the terminal. Redirect standard output, or name a file with -o.")
    }
    let ending: String? = arguments.value("format") ?? syntax.pipedFormat ?? inputEnding
    guard let ending else {
      throw UsageError("-o - needs --format, such as --format png or --format mlmodel.")
    }
    guard !["mlpackage", "mlmodelc"].contains(ending.lowercased()) else {
      throw UsageError(
        "a .\(ending) is a folder, which cannot go to standard output. Name it with -o.")
    }
    let file: URL = folder.appendingPathComponent("standard-output.\(ending)")
    arguments.replaceValues("output", with: [file.path])
    Output.name(file.path, "-")
    Output.takeStandardOutput()
    output = file
  }

  /// The extension of the input: that of standard input, or of the first operand.
  private var inputEnding: String? {
    if let inputFormat { return inputFormat }
    let ending: String? = arguments.operands.first.map {
      URL(fileURLWithPath: $0).pathExtension.lowercased()
    }
    return ending?.isEmpty == false ? ending : nil
  }

  private func writeOutput() throws {
    guard let output, let data = FileManager.default.contents(atPath: output.path) else { return }
    Output.write(data)
  }
}

/// Tells the format of a file by its first bytes.
enum FileSignature {
  /// Returns the file name extension of the format of a file's bytes.
  ///
  /// Core ML models and ONNX models are both protobuf messages that begin with an integer. An ONNX model has its graph
  /// in field 7. A Core ML model has its content in a field from 200 on.
  static func pathExtension(of data: Data) -> String {
    let known: [(String, [UInt8])] = [
      ("jpg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("gif", Array("GIF8".utf8)),
      ("tiff", Array("II*\0".utf8)), ("tiff", Array("MM\0*".utf8)), ("bmp", Array("BM".utf8)),
      ("h5", [0x89, 0x48, 0x44, 0x46]), ("npy", [0x93] + Array("NUMPY".utf8)),
      ("keras", [0x50, 0x4B, 0x03, 0x04]), ("json", Array("{".utf8)), ("json", Array("[".utf8)),
    ]
    if let match = known.first(where: { data.starts(with: $0.1) }) { return match.0 }
    let inner: [UInt8] = Array(data.dropFirst(4).prefix(8))
    if data.starts(with: Array("RIFF".utf8)), inner.suffix(4).elementsEqual("WEBP".utf8) {
      return "webp"
    }
    if inner.starts(with: Array("ftyp".utf8)) {
      return inner.suffix(4).starts(with: Array("avi".utf8)) ? "avif" : "heic"
    }
    if inner.starts(with: Array("TFL3".utf8)) { return "tflite" }
    return isONNX(data) ? "onnx" : "mlmodel"
  }

  /// Returns whether field 7 of a protobuf message comes before all fields from 200 on.
  private static func isONNX(_ data: Data) -> Bool {
    let bytes: [UInt8] = Array(data.prefix(1 << 16))
    var place: Int = 0
    func number() -> Int? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 63, by: 7) {
        guard place < bytes.count else { return nil }
        value |= UInt64(bytes[place] & 0x7F) << shift
        place += 1
        if bytes[place - 1] < 0x80 { return Int(truncatingIfNeeded: value) }
      }
      return nil
    }
    while let key = number(), key > 0 {
      if key >> 3 == 7 { return key & 7 == 2 }
      guard key >> 3 < 200 else { return false }
      switch key & 7 {
      case 0: guard number() != nil else { return false }
      case 1: place += 8
      case 2:
        guard let size = number(), size >= 0, size <= bytes.count - place else { return false }
        place += size
      case 5: place += 4
      default: return false
      }
    }
    return false
  }
}
