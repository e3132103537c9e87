import Foundation
import Testing

/// Tests `atelier port` with the compiler and with the modules of this build.
@Suite(.enabled(if: Program.isBuilt))
struct PortTests {
  private struct Report: Decodable {
    struct Target: Decodable {
      let name: String
      let files: Int
      let compiling: Int?
    }
    struct Entry: Decodable {
      let name: String
      let files: Int
    }
    let targets: [Target]
    let modules: [Entry]
    let names: [Entry]
    let isCompiled: Bool
  }

  @Test("A package's missing modules and names are counted, and what remains compiles")
  func package() throws {
    try Fixtures.withFolder { folder in
      var files: [String: String] = [
        "Sources/Core/Model.swift":
          "import CoreML\npublic struct Model { public init() {}; package var double: Int { 2 } }\n",
        "Sources/Core/Words.swift":
          "import Foundation\nimport Speech\nlet recognizer = SFSpeechRecognizer()\n",
        "Sources/Core/Time.swift": "import Foundation\nlet start = CFAbsoluteTimeGetCurrent()\n",
        "Sources/Tool/main.swift":
          "import Core\nimport Vision\nprint(Model().double, VNDetectFaceRectanglesRequest().resultz)\n",
      ]
      // The interface is not counted, but others see what it declares.
      files["Sources/Core/Look.swift"] =
        "import SwiftUI\nenum Shade { case dark }\nstruct Look: View { let shade: Shade }\n"
      files["Sources/Core/Shades.swift"] =
        "import CoreML\nfunc isDark(_ shade: Shade) -> Bool { shade == .dark }\n"
      // A lone main.swift may have `@main`, and Foundation brings `@Observable`.
      files["Sources/Runner/main.swift"] = """
        import Foundation
        @Observable final class State { var count = 0 }
        @main struct Runner { static func main() { print(State().count) } }
        """
      for (path, text) in files {
        let file: URL = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let outcome = try Program.run("port", folder.path, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
      #expect(report.isCompiled)
      #expect(report.targets.map(\.name) == ["Core", "Runner", "Tool"])
      #expect(report.targets.map(\.files) == [4, 1, 1])
      #expect(report.targets.map(\.compiling) == [3, 1, 0])
      #expect(report.modules.map(\.name) == ["Speech"])
      #expect(
        report.names.map(\.name) == [
          "SFSpeechRecognizer", "VNDetectFaceRectanglesRequest.resultz",
        ])
      let text = try Program.run("port", folder.path, "--imports")
      #expect(text.output.contains("Speech (1 file): Run a model for speech"))
      #expect(!text.output.contains("Missing names"))
    }
  }

  @Test("A target of a package with resources has Bundle.module, as SwiftPM generates it")
  func resources() throws {
    for (text, compiling) in [("resources: [.process(\"x\")]", 1), ("", 0)] {
      try Fixtures.withFolder { folder in
        let sources: URL = folder.appendingPathComponent("Sources/Tool")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data("// swift-tools-version: 6.0\n// \(text)\n".utf8)
          .write(to: folder.appendingPathComponent("Package.swift"))
        try Data("import Foundation\nfunc path() -> String { Bundle.module.bundlePath }\n".utf8)
          .write(to: sources.appendingPathComponent("Path.swift"))
        let outcome = try Program.run("port", folder.path, "--json")
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.targets.map(\.compiling) == [compiling], "\(outcome.output)")
      }
    }
  }

  @Test("A target has the classes of its models, unless its sources declare them")
  func modelClasses() throws {
    try Fixtures.withFolder { folder in
      let sources: URL = folder.appendingPathComponent("Sources/Tool/Models")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      for name in ["Small-Painter", "Known"] {
        try FileManager.default.copyItem(
          at: GenerateTests.root.appendingPathComponent("Examples/Scream.mlmodel"),
          to: sources.appendingPathComponent("\(name).mlmodel"))
      }
      // A package without its manifest and weights still has a description.
      let inner: URL = sources.appendingPathComponent("Part.mlpackage/Data/com.apple.CoreML")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: sources.appendingPathComponent("Known.mlmodel"),
        to: inner.appendingPathComponent("model.mlmodel"))
      // A pointer of Git LFS is no model.
      try Data("version https://git-lfs.github.com/spec/v1\n".utf8)
        .write(to: sources.appendingPathComponent("Pointer.mlmodel"))
      try Data(
        """
        import CoreML
        func paint() throws -> MLModel { try Small_Painter(configuration: MLModelConfiguration()).model }
        func known() -> Int { Known.number + KnownInput.number }
        public func part(_ part: Part) -> MLModel { part.model }
        """.utf8
      ).write(to: sources.appendingPathComponent("Use.swift"))
      try Data(
        "class KnownInput { static let number = 1 }\nclass Known { static let number = 2 }\n".utf8
      ).write(to: sources.appendingPathComponent("Known.swift"))
      let outcome = try Program.run("port", folder.path, "--json")
      let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
      #expect(report.targets.map(\.compiling) == [2], "\(outcome.output)")
      #expect(report.targets.map(\.files) == [2])
    }
  }

  @Test("In language mode 6, a file that imports only Foundation may use stderr")
  func standardStreams() throws {
    try Fixtures.withFolder { folder in
      let sources: URL = folder.appendingPathComponent("Sources/Tool")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try Data("// swift-tools-version: 6.0\nimport PackageDescription\n".utf8)
        .write(to: folder.appendingPathComponent("Package.swift"))
      try Data(
        """
        import Foundation
        struct Errors: TextOutputStream {
          mutating func write(_ text: String) { fputs(text, stderr) }
        }
        func finish() async { setvbuf(stdout, nil, _IONBF, 0); fflush(stdout); _ = fgetc(stdin) }
        """.utf8
      ).write(to: sources.appendingPathComponent("Streams.swift"))
      let outcome = try Program.run("port", folder.path, "--json")
      let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
      #expect(report.targets.map(\.compiling) == [1], "\(outcome.output)")
    }
  }

  @Test("A path without Swift files gives a one-line error and exit code 1")
  func nothing() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run("port", folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.split(separator: "\n").last?.contains("no Swift files") == true)
    }
  }
}
