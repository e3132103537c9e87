import Foundation

/// Swift's compiler with Atelier's modules.
public struct Compiler: Sendable {
  /// The options with which the compiler finds Atelier's modules.
  private let options: [String]
  private let program: String

  /// The options with which code in language mode 6 may use `stdin`, `stdout` and `stderr`, as on Apple's systems.
  /// glibc's header declares them as variables that any thread may change; the options add an attribute to the names.
  private static let standardStreams: [String] = ["stdin", "stdout", "stderr"].flatMap {
    ["-Xcc", "-D\($0)=\($0) __attribute__((swift_attr(\"nonisolated(unsafe)\")))"]
  }

  /// Finds the compiler and the modules.
  ///
  /// - Parameter build: SwiftPM's build folder of Atelier, which contains `Modules`.
  /// - Returns: Nil if there is no compiler, or no modules.
  public init?(build: URL) {
    let files = FileManager.default
    let build: URL = build.resolvingSymlinksInPath()
    let modules: URL = build.appendingPathComponent("Modules")
    guard files.fileExists(atPath: modules.appendingPathComponent("Vision.swiftmodule").path),
      let program = Self.find("swiftc")
    else { return nil }
    self.program = program
    var options: [String] = ["-I", modules.path]
    let made: [URL] = Self.folders(in: build).filter {
      $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build")
    }
    // Atelier's own folder is above `.build/TRIPLE/release`.
    let root: URL = build.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources: [URL] = Self.folders(in: root.appendingPathComponent("C"))
    for folder in made + sources + sources.map({ $0.appendingPathComponent("include") }) {
      let map: URL = folder.appendingPathComponent("module.modulemap")
      if files.fileExists(atPath: map.path) {
        options += ["-Xcc", "-fmodule-map-file=\(map.path)"]
      }
    }
    // The macros of the toolchain, such as `@Observable`.
    let plugins: URL = URL(fileURLWithPath: program).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("lib/swift/host/plugins")
    if files.fileExists(atPath: plugins.path) { options += ["-plugin-path", plugins.path] }
    let flags = try? Self.run("pkg-config", ["--cflags-only-I", "gobject-2.0"])
    for flag in (flags?.output ?? "").split(whereSeparator: \.isWhitespace)
    where flag.hasPrefix("-I") {
      options += ["-Xcc", String(flag)]
    }
    self.options = options
  }

  /// Type-checks a module. Returns the compiler's messages.
  ///
  /// - Parameters:
  ///   - interface: Further files of the module, whose declarations the files may need. If the compiler crashes with
  ///     them, they are left out.
  ///   - searched: Options with which the compiler finds modules of the same package.
  ///   - module: Where to write the module for others that import it. The module may have errors.
  func check(
    _ files: [URL], and interface: [URL], name: String, languageMode: Int, searched: [String],
    module: URL
  ) throws -> String {
    let isScript: Bool = files.count == 1 && files.allSatisfy(Self.isScript)
    // The compiler takes a script only alone.
    let all: [URL] = isScript ? files : files + interface
    // SwiftPM also compiles a lone main.swift with `@main` as a library.
    let isProgram: Bool = all.count > 1 && files.contains { $0.lastPathComponent == "main.swift" }
    let common: [String] =
      [
        "-module-name", name, "-package-name", "port", "-swift-version", "\(languageMode)",
        "-enable-bare-slash-regex",
      ]
      + (isProgram || isScript ? [] : ["-parse-as-library"])
      + ["-import-module", "AppleFoundation", "-experimental-allow-module-with-compiler-errors"]
      + Self.standardStreams + options + searched
    let paths: [String] = all.map(\.path)
    let checked = try Self.run(program, ["-frontend", "-typecheck"] + common + paths)
    // The compiler ends with 1 after errors in the source, and otherwise if it crashes.
    if !interface.isEmpty, checked.status > 1 {
      return try check(
        files, and: [], name: name, languageMode: languageMode, searched: searched, module: module)
    }
    // Modules that import this one need its names, even if it has errors.
    _ = try Self.run(
      program,
      ["-frontend", "-emit-module", "-experimental-skip-all-function-bodies"] + common
        + ["-o", module.path] + paths)
    return checked.output
  }

  /// Returns whether a file has statements outside of declarations.
  private static func isScript(_ file: URL) -> Bool {
    guard let text = try? String(contentsOf: file, encoding: .utf8), !text.contains("@main") else {
      return false
    }
    return file.lastPathComponent == "main.swift" || text.hasPrefix("#!")
      || text.firstMatch(of: /(?m)^(?:let|var|guard|do|if|for|exit|print|try|switch)\b/) != nil
  }

  private static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func folders(in folder: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)) ?? []).sorted { $0.path < $1.path }
  }

  /// Runs a program and returns what it writes to both of its outputs.
  private static func run(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
