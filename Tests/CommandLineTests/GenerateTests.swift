import Foundation
import ModelFormat
import Testing

/// Tests the classes of `atelier generate`, and the build plug-in that generates them.
@Suite(.enabled(if: Program.isBuilt))
struct GenerateTests {
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A model of `2 x + 1` over three numbers.
  private static let doubling: Spec.Model = .making { model in
    func feature(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making {
          $0.type = .multiArrayType(.making { ($0.shape, $0.dataType) = ([3], .float32) })
        }
      }
    }
    model.specificationVersion = 4
    model.description = .making { ($0.input, $0.output) = ([feature("x")], [feature("y")]) }
    let layer: Spec.NeuralNetworkLayer = .making { layer in
      (layer.name, layer.input, layer.output) = ("double", ["x"], ["y"])
      layer.layer = .activation(
        .making { $0.nonlinearityType = .linear(.making { ($0.alpha, $0.beta) = (2, 1) }) })
    }
    model.type = .neuralNetwork(
      .making {
        $0.layers = [layer]
        $0.arrayInputShapeMapping = .exactArrayMapping
      })
  }

  /// Models outside the repository. The test compiles the classes that are generated for them. Empty if they are
  /// missing.
  private static var models: [URL] {
    let shared = root.deletingLastPathComponent().appendingPathComponent("shared/models")
    let names = [
      "starry-night/FastStyleTransferVanGoghStarryNight.mlmodel",
      "updatable-drawing/UpdatableDrawingClassifier.mlmodel",
    ]
    return names.map { shared.appendingPathComponent($0) }.filter {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  private static func run(_ words: [String], in folder: URL) throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  @Test("Generated classes compile against CoreML unchanged")
  func compile() throws {
    try Fixtures.withFolder { folder in
      let own: URL = folder.appendingPathComponent("Doubling.mlmodel")
      try Self.doubling.write(to: own)
      var files: [String] = []
      for model in [own] + Self.models {
        let name: String = model.deletingPathExtension().lastPathComponent
        let file: String = folder.appendingPathComponent("\(name).swift").path
        let outcome = try Program.run("generate", model.path, "-o", file)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\(name)Input"))
        files.append(file)
      }
      let build: URL = try #require(Program.binary?.deletingLastPathComponent())
      // A module that is also built for the plug-in's tool has a second module map, which the script leaves out.
      let script = """
        maps=""
        for folder in "$1"/C/* "$1"/C/*/include "$2"/*.build; do
          case "$folder" in *-tool.build) continue ;; esac
          [ -f "$folder/module.modulemap" ] || continue
          maps="$maps -Xcc -fmodule-map-file=$folder/module.modulemap"
        done
        flags=$(pkg-config --cflags-only-I gobject-2.0 | sed 's/-I/-Xcc -I/g')
        modules="$2/Modules"
        shift 2
        exec swiftc -typecheck -swift-version 6 -module-name Classes -I "$modules" $maps $flags "$@"
        """
      let outcome = try Self.run(
        ["sh", "-c", script, "sh", Self.root.path, build.path] + files, in: folder)
      #expect(outcome.status == 0, "\(outcome.output)")
    }
  }

  @Test("The result as JSON names the file and its classes")
  func json() throws {
    try Fixtures.withFolder { folder in
      let model: URL = folder.appendingPathComponent("Doubling.mlmodel")
      try Self.doubling.write(to: model)
      let file: String = folder.appendingPathComponent("Doubling.swift").path
      let outcome = try Program.run("generate", model.path, "-o", file, "--json")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["file"] as? String == file)
      let classes = try #require(report["classes"] as? [String])
      #expect(classes == ["Doubling", "DoublingInput", "DoublingOutput"])
      let source = try String(contentsOfFile: file, encoding: .utf8)
      for name in classes { #expect(source.contains("class \(name)"), "\(name)") }
      // With -o -, the source has standard output for itself.
      let piped = try Program.run("generate", model.path, "-o", "-", "--json")
      #expect(piped.output == source && piped.errors.contains("\"classes\""), "\(piped.errors)")
    }
  }

  @Test("A file that is not a model gives a one-line error and exit code 1")
  func noModel() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("x.mlmodel")
      try Data("text".utf8).write(to: file)
      let outcome = try Program.run("generate", file.path, "-o", "-")
      #expect(outcome.status == 1)
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }
}
