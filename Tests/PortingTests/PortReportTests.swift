import Foundation
import Testing

@testable import Porting

/// Checks reports about packages that the tests write.
struct PortReportTests {
  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("port-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.resolvingSymlinksInPath())
  }

  private static func write(_ files: [String: String], to root: URL) throws {
    for (path, text) in files {
      let file: URL = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  private static let package: [String: String] = [
    "Package.swift": "// swift-tools-version: 6.0\nimport PackageDescription\n",
    "Sources/Core/Model.swift": """
    import CoreML
    public struct Model { public let model: MLModel; public var double: Int { 2 } }
    """,
    "Sources/Core/Words.swift": """
    import Foundation
    import Speech
    func isAvailable() -> Bool { SFSpeechRecognizer()?.isAvailable ?? false }
    """,
    "Sources/Core/View.swift":
      "import SwiftUI\nstruct Look: View { var body: some View { Text(\"\") } }\n",
    "Sources/Tool/main.swift": """
    import Core
    import Vision
    #if canImport(UIKit)
    import UIKit
    #endif
    func use(_ model: Model) -> Int { model.double }
    let request = VNDetectFaceRectanglesRequest()
    print(request.resultz?.count ?? 0)
    """,
    "Tests/CoreTests/Some.swift": "import Nowhere\n",
  ]

  @Test("Without a compiler, a report lists missing modules with advice, and leaves tests out")
  func imports() throws {
    try Self.withFolder { root in
      try Self.write(Self.package, to: root)
      let report = try PortReport(of: root, compiler: nil, scratch: root)
      #expect(report.targets.map(\.name) == ["Core", "Tool"])
      #expect(report.targets.map(\.files) == [2, 1])
      #expect(report.targets.map(\.interfaceFiles) == [1, 0])
      #expect(report.modules.map(\.name) == ["Speech"])
      #expect(report.modules.first?.advice == "Run a model for speech with `CoreML`.")
      #expect(report.compilingCount == nil)
    }
  }

  @Test("The language mode is the package's own")
  func languageMode() throws {
    try Self.withFolder { root in
      try Self.write(Self.package, to: root)
      #expect(try SourceTarget.targets(in: root).map(\.languageMode) == [6, 6])
      try Self.write(
        [
          "Package.swift":
            "// swift-tools-version: 6.1\nlet p = Package(swiftLanguageModes: [.v5])\n"
        ],
        to: root)
      #expect(try SourceTarget.targets(in: root).map(\.languageMode) == [5, 5])
    }
  }

  @Test("A target has the folder that its package states")
  func statedPaths() throws {
    try Self.withFolder { root in
      try Self.write(
        [
          "mac/Package.swift": """
          // swift-tools-version: 5.9
          let package = Package(targets: [
            // .target(name: "Old", path: "Old"),
            .target(name: "image-tool", dependencies: [], path: "./Code/Tool"),
            .target(name: "Other"),
          ])
          """,
          "mac/Code/Tool/a.swift": "", "mac/Code/Tool/parts/b.swift": "",
          "mac/Sources/Other/c.swift": "", "Old/d.swift": "",
        ], to: root)
      let targets: [SourceTarget] = try SourceTarget.targets(in: root)
      #expect(targets.map(\.name) == ["Old", "image_tool", "Other"])
      #expect(targets.map(\.files.count) == [1, 2, 1])
    }
  }

  @Test("Each folder beside an Xcode project is a target, and so is each script")
  func projects() throws {
    try Self.withFolder { root in
      try Self.write(
        [
          "apps/One/One.xcodeproj/project.pbxproj": "", "apps/One/One/a.swift": "",
          "apps/One/One/Model/b.swift": "", "apps/One/Shared/c.swift": "",
          "apps/Two/Two.xcodeproj/project.pbxproj": "", "apps/Two/Shared/d.swift": "",
          "apps/tests/e.swift": "", "tools/first.swift": "#!/usr/bin/swift\n",
          "tools/second.swift": "#!/usr/bin/swift\n", "tools/more/f.swift": "",
        ], to: root)
      let targets: [SourceTarget] = try SourceTarget.targets(in: root)
      #expect(
        targets.map(\.name) == ["One", "Shared", "Shared_2", "first", "more", "second"])
      #expect(targets.map(\.files.count) == [2, 1, 1, 1, 1, 1])
    }
  }

  @Test("A target has the models of its folder and of folders without Swift files")
  func models() throws {
    try Self.withFolder { root in
      try Self.write(
        [
          "Sources/One/a.swift": "", "Sources/One/Data/In.mlmodel": "", "Sources/Two/b.swift": "",
          "Models/Any.mlpackage/Data/model.mlmodel": "", "Tests/OneTests/Test.mlmodel": "",
          "Sources/Two/Compiled.mlmodelc/model.mil": "",
        ], to: root)
      let targets: [SourceTarget] = try SourceTarget.targets(in: root)
      #expect(
        targets.map { $0.models.map(\.lastPathComponent) } == [
          ["Any.mlpackage", "In.mlmodel"], ["Any.mlpackage"],
        ])
    }
  }

  @Test("A target that a package states keeps its name beside a folder of the same name")
  func statedNames() throws {
    try Self.withFolder { root in
      try Self.write(
        [
          "Package.swift": """
          let package = Package(targets: [.target(name: "Kit", path: "Sources/Kit/Core")])
          """,
          "Sources/Kit/Core/a.swift": "", "Sources/Kit/Extra/b.swift": "",
        ], to: root)
      let targets: [SourceTarget] = try SourceTarget.targets(in: root)
      #expect(targets.map(\.name) == ["Kit_2", "Kit"])
      #expect(targets.last?.files.map(\.lastPathComponent) == ["a.swift"])
    }
  }

  @Test("The only target of a package has all files below Sources, unless it has a folder there")
  func onlyTarget() throws {
    for (folder, names) in [("Parts", ["tool"]), ("tool", ["tool"])] {
      try Self.withFolder { root in
        try Self.write(
          [
            "Package.swift": """
            let package = Package(targets: [
              .executableTarget(name: "tool"), .testTarget(name: "toolTests"),
            ])
            """,
            "Sources/\(folder)/a.swift": "", "Sources/\(folder)/more/b.swift": "",
          ], to: root)
        if folder == "Parts" { try Self.write(["Sources/main.swift": ""], to: root) }
        let targets: [SourceTarget] = try SourceTarget.targets(in: root)
        #expect(targets.map(\.name) == names)
        #expect(targets.map(\.files.count) == [folder == "Parts" ? 3 : 2])
      }
    }
  }

  @Test("A target whose folder has the name of an imported module has another name")
  func folderOfModule() throws {
    try Self.withFolder { root in
      try Self.write(
        ["App/CoreML/a.swift": "import CoreML\n", "App/Views/b.swift": ""], to: root)
      #expect(try SourceTarget.targets(in: root).map(\.name) == ["CoreML_", "Views"])
    }
  }

  @Test("A folder without Swift files and a path without anything give one sentence")
  func nothing() throws {
    try Self.withFolder { root in
      #expect(throws: PortError.self) { try PortReport(of: root, compiler: nil, scratch: root) }
      let missing: URL = root.appendingPathComponent("missing")
      let error = #expect(throws: PortError.self) {
        try PortReport(of: missing, compiler: nil, scratch: root)
      }
      #expect(error?.message == "There is no file or folder '\(missing.path)'.")
    }
  }

  @Test("The compiler's messages name what is missing")
  func names() {
    #expect(
      TargetCheck.missingName("cannot find type 'VNTrackObjectRequest' in scope")
        == "VNTrackObjectRequest")
    #expect(
      TargetCheck.missingName("type 'CGImage' has no member 'masking'; did you mean 'x'?")
        == "CGImage.masking")
    #expect(
      TargetCheck.missingName("value of type 'MLTensor' has no member 'norm'") == "MLTensor.norm")
    #expect(TargetCheck.missingName("extra argument 'x' in call") == nil)
  }

  @Test("An error about Objective-C says what to write")
  func advice() {
    let message: Substring = "Objective-C interoperability is disabled"
    #expect(KnownModules.advised(message).contains("`#if canImport(ObjectiveC)`"))
    #expect(KnownModules.advised("extra argument 'x' in call") == "extra argument 'x' in call")
  }

  @Test("Lines that import missing modules are emptied, so that lines keep their numbers")
  func emptied() {
    #expect(
      TargetCheck.without(["Hub"], "import A\nimport Hub\n@testable import Hub\nimport Hubs\n")
        == "import A\n\n\nimport Hubs\n")
  }
}
