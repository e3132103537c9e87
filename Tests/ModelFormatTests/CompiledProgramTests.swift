import Tensors
import Foundation
import Testing

@testable import ModelFormat

@Suite struct CompiledProgramTests {
  static func fixture(_ name: String) -> URL {
    Fixtures.shared.appendingPathComponent("models/compiled/\(name)", isDirectory: true)
  }

  static let haveFixtures: Bool = !MILTextTests.fixtures.isEmpty

  static func array(_ feature: Spec.FeatureDescription?) -> Spec.ArrayFeatureType? {
    guard case .multiArrayType(let array)? = feature?.type?.type else { return nil }
    return array
  }

  static func ranges(_ feature: Spec.FeatureDescription?) -> [[Int64]]? {
    guard case .shapeRange(let range)? = array(feature)?.shapeFlexibility else { return nil }
    return range.sizeRanges.map { [Int64($0.lowerBound), $0.upperBound] }
  }

  static func text(in folder: URL) throws -> String {
    try String(contentsOf: folder.appendingPathComponent("model.mil"), encoding: .utf8)
  }

  // MARK: Apple's folders

  @Test(.enabled(if: haveFixtures, "needs ../shared/models/compiled"))
  func `A folder of Apple's compiler opens with the description stored next to the text`() throws {
    let file = try ModelFile.open(Self.fixture("Argmax.mlmodelc"))
    let description = try #require(file.model.description)
    #expect(file.model.specificationVersion == 7)
    #expect(description.input.map(\.name) == ["logits"])
    #expect(description.output.map(\.name) == ["index", "score"])
    #expect(Self.array(description.input.first)?.shape == [1025])
    #expect(Self.array(description.output.first)?.dataType == .int32)
    #expect(description.metadata?.author == "FluidAudio")
    #expect(description.metadata?.userDefined["com.github.apple.coremltools.version"] == "8.3.0")
    guard case .mlProgram(let program)? = file.model.type else {
      Issue.record("no program")
      return
    }
    #expect(program.functions["main"]?.block?.operations.count == 6)
    let flexible = try ModelFile.open(Self.fixture("TransposeEncoder.mlmodelc"))
    #expect(
      Self.ranges(flexible.model.description?.input.first) == [[1, 1], [1, 2048], [1, 2048]])
  }

  @Test(.enabled(if: haveFixtures, "needs ../shared/models/compiled"))
  func `Without coremldata.bin, the description comes from metadata.json`() throws {
    let file = try ModelFile.open(Self.fixture("parakeet-decoder"))
    let description = try #require(file.model.description)
    #expect(file.model.specificationVersion == 8)
    #expect(description.input.map(\.name) == ["targets", "target_length", "h_in", "c_in"])
    #expect(Self.array(description.output.last)?.shape == [1, 1, 640])
    #expect(Self.array(description.output.last)?.dataType == .float32)
    #expect(description.metadata?.author == "Fluid Inference")
    let error = #expect(throws: ModelFormatError.self) {
      try file.blobFile(named: "@model_path/weights/weight.bin")
    }
    #expect(error?.code == .unreadable)
  }

  @Test(.enabled(if: haveFixtures, "needs ../shared/models/compiled"))
  func `Without other files, the text determines the inputs and outputs`() throws {
    let several = try ModelFile.open(Self.fixture("flexible-multifunction"))
    let description = try #require(several.model.description)
    #expect(several.model.specificationVersion == 9)
    #expect(description.functions.map(\.name) == ["first", "second"])
    #expect(description.defaultFunctionName == "first")
    let second = try #require(description.functions.last)
    #expect(Self.array(second.input.first)?.shape == [2])
    #expect(Self.ranges(second.input.first) == [[0, 4]])
    #expect(Self.array(second.output.first)?.dataType == .float32)
    let one = try ModelFile.open(Self.fixture("add"))
    #expect(one.model.description?.input.map(\.name) == ["x", "y"])
    #expect(Self.array(one.model.description?.output.first)?.shape == [1, 10])
  }

  @Test(
    .enabled(if: haveFixtures, "needs ../shared/models/compiled"),
    arguments: ["Argmax.mlmodelc", "TransposeEncoder.mlmodelc", "flexible-multifunction"])
  func `Compiling Apple's folder gives Apple's text`(name: String) throws {
    try Fixtures.withFolder { folder in
      let source: URL = Self.fixture(name)
      let compiled = try ModelFile.compile(from: source, into: folder)
      let apples: String = try Self.text(in: source)
      #expect(try Self.text(in: compiled) == apples.trimmingCharacters(in: .newlines))
      #expect(try ModelFile.open(compiled).model == ModelFile.open(source).model)
    }
  }

  /// The keys that differ from Apple's description. The operation histogram uses Apple's internal names of operations,
  /// and the version keys are our own.
  static let ownKeys: Set<String> = ["mlProgramOperationTypeHistogram", "format", "formatVersion"]

  @Test(
    .enabled(if: haveFixtures, "needs ../shared/models/compiled"),
    arguments: ["Argmax", "TransposeEncoder"])
  func `Our metadata matches Apple's`(name: String) throws {
    try Fixtures.withFolder { folder in
      let source: URL = Self.fixture("\(name).mlmodelc")
      let compiled = try ModelFile.compile(from: source, into: folder)
      func entries(_ folder: URL) throws -> NSDictionary {
        let json = try Data(contentsOf: folder.appendingPathComponent("metadata.json"))
        let list = try #require(try JSONSerialization.jsonObject(with: json) as? [[String: Any]])
        return NSDictionary(dictionary: list[0].filter { !Self.ownKeys.contains($0.key) })
      }
      #expect(try entries(compiled) == entries(source))
    }
  }

  // MARK: Our folders

  /// Builds a model with a constant in a weight file and an input of flexible length.
  static func model() throws -> Spec.Model {
    let text = try MILTextTests.parse(
      MILTextTests.inFunction(
        "tensor<fp16, [3]> w = const()[name = string(\"w\"), "
          + "val = tensor<fp16, [3]>(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), "
          + "offset = uint64(64)))]"
      ).replacing("main<ios18>()", with: "main<ios18>(tensor<fp32, [?]> z, state<fp16> b)"))
    var model = Spec.Model()
    model.specificationVersion = 9
    model.type = .mlProgram(text.program)
    model.description = .making {
      $0.metadata = .making { $0.author = "Somebody" }
      $0.input = [
        .making {
          $0.name = "z"
          $0.type = .making {
            $0.type = .multiArrayType(
              .making {
                $0.shape = [4]
                $0.dataType = .float32
                $0.shapeFlexibility = .shapeRange(
                  .making {
                    $0.sizeRanges = [
                      .making {
                        $0.lowerBound = 1
                        $0.upperBound = -1
                      }
                    ]
                  })
              })
          }
        }
      ]
    }
    return model
  }

  @Test func `A compiled package has the files that Apple's compiler writes`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      let model: Spec.Model = try Self.model()
      try SampleModels.writePackage(package, model: model.serialized())
      let compiled = try ModelFile.compile(from: package, into: folder)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: compiled.path).sorted() == [
          "coremldata.bin", "metadata.json", "model.mil", "model.mlmodel", "weights",
        ])
      let text: String = try Self.text(in: compiled)
      #expect(
        text.contains(
          """
              func main<ios18>(state<fp16> b, tensor<fp32, [?]> z) [FlexibleShapeInformation = \
          tuple<tuple<string, dict<string, tensor<int32, [?]>>>, tuple<string, dict<string, \
          list<tensor<int32, [2]>, ?>>>>((("DefaultShapes", {{"z", [4]}}), ("RangeDims", \
          {{"z", [[1, -1]]}})))] {
                      tensor<fp16, [3]> w = const()[name = string("w"), val = tensor<fp16, [3]>(\
          BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
                  } -> ();

          """), "\(text)")
      #expect(try ModelFile.open(compiled).model == model)
      // Without the files that only we write, the folder has the form of Apple's folders. It gives the same description
      // as before.
      try FileManager.default.removeItem(at: compiled.appendingPathComponent("metadata.json"))
      try FileManager.default.removeItem(at: compiled.appendingPathComponent("model.mlmodel"))
      let file = try ModelFile.open(compiled)
      #expect(try file.blobFile(named: "@model_path/weights/weight.bin").blob(at: 64).count == 3)
      #expect(file.model.specificationVersion == 9)
      #expect(file.model.description == model.description)
      let again = try ModelFile.compile(from: compiled, into: folder.appendingPathComponent("b"))
      #expect(try Self.text(in: again) == Self.text(in: compiled))
      #expect(try ModelFile.open(again).model == file.model)
    }
  }

  @Test func `A program without types opens again from its text`() throws {
    let model = try ModelFile(bytes: SampleModels.program).model
    guard case .mlProgram(let program)? = model.type else {
      Issue.record("no program")
      return
    }
    let text = MILText(compiling: program, of: model)
    #expect(try MILTextTests.parse(text.description).description == text.description)
  }

  @Test func `A package without its weight file leaves the compiled model as it was`() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("p.mlpackage", isDirectory: true)
      try SampleModels.writePackage(package)
      let compiled = try ModelFile.compile(from: package, into: folder)
      try FileManager.default.removeItem(
        at: package.appendingPathComponent("Data/com.apple.CoreML/weights/weight.bin"))
      let error = #expect(throws: ModelFormatError.self) {
        try ModelFile.compile(from: package, into: folder)
      }
      #expect(error?.message.hasPrefix("Model 'p.mlpackage': ") == true)
      #expect(error?.message.contains("weight.bin' cannot be opened: No such file") == true)
      #expect(try ModelFile.open(compiled).model.serialized() == SampleModels.program)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "p.mlmodelc", "p.mlpackage",
        ])
    }
  }

  @Test func `Weight files next to the text are compiled too`() throws {
    try Fixtures.withFolder { folder in
      let source = folder.appendingPathComponent("a.mlmodelc", isDirectory: true)
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
      let text = MILTextTests.inFunction(
        "fp16 x = const()[val = fp16(BLOBFILE(path = string(\"@model_path/w.bin\"), "
          + "offset = uint64(64)))]")
      try Data(text.utf8).write(to: source.appendingPathComponent("model.mil"))
      try Data(SampleModels.weightFile()).write(to: source.appendingPathComponent("w.bin"))
      let compiled = try ModelFile.compile(from: source, into: folder.appendingPathComponent("b"))
      let file = try ModelFile.open(compiled)
      #expect(try file.blobFile(named: "@model_path/w.bin").blob(at: 64).count == 3)
    }
  }

  @Test func `A model compiled by a newer version is refused, in both forms of the note`() throws {
    for note in [
      #"{"format":"atelier","version":2}"#, #"[{"format":"atelier","formatVersion":2}]"#,
    ] {
      try Fixtures.withFolder { folder in
        let compiled = folder.appendingPathComponent("a.mlmodelc", isDirectory: true)
        try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
        try Data(note.utf8).write(to: compiled.appendingPathComponent("metadata.json"))
        let error = #expect(throws: ModelFormatError.self) { try ModelFile.open(compiled) }
        #expect(error?.message.contains("by a newer Atelier (format 2, expected 1)") == true)
      }
    }
  }

  // MARK: Descriptions

  static func described() -> CompiledDescription {
    var description = Spec.ModelDescription()
    description.input = [
      .making {
        $0.name = "x"
        $0.type = .making { $0.type = .int64Type(.init()) }
      }
    ]
    return CompiledDescription(specificationVersion: 9, description: description)
  }

  @Test func `A description survives a round trip, and a damaged one is an error`() throws {
    let bytes: [UInt8] = Self.described().bytes(functionCount: 2)
    let again = try CompiledDescription(ByteValues(bytes), name: "'a'")
    #expect(again.specificationVersion == 9)
    #expect(again.description.input.map(\.name) == ["x"])
    #expect(again.description.metadata != nil)
    var generator = SplitMix64(seed: 12)
    var refused = 0
    for _ in 0..<1_000 {
      let mutant: [UInt8] = DamageTests.mutate(bytes, with: &generator)
      do {
        _ = try CompiledDescription(ByteValues(mutant), name: "'a'")
      } catch let error as ModelFormatError {
        refused += 1
        #expect(error.message.hasPrefix("Model 'a': "))
      }
    }
    #expect(refused > 100)
  }

  @Test func `Pictures, states and dictionaries survive metadata.json`() throws {
    func feature(_ name: String, _ type: Spec.FeatureType.OneOfType) -> Spec.FeatureDescription {
      .making {
        $0.name = name
        $0.type = .making { $0.type = type }
      }
    }
    let array = Spec.ArrayFeatureType.making {
      $0.shape = [1, 2]
      $0.dataType = .float16
      $0.shapeFlexibility = .enumeratedShapes(
        .making { $0.shapes = [.making { $0.shape = [1, 2] }, .making { $0.shape = [1, 3] }] })
    }
    var description = Spec.ModelDescription()
    description.input = [
      feature("a", .multiArrayType(array)),
      feature(
        "b",
        .imageType(
          .making {
            $0.width = 4
            $0.height = 5
            $0.colorSpace = .bgr
            $0.sizeFlexibility = .imageSizeRange(
              .making {
                $0.widthRange = .making { $0.upperBound = -1 }
                $0.heightRange = .making { $0.upperBound = 9 }
              })
          })),
      feature("c", .dictionaryType(.making { $0.keyType = .int64KeyType(.init()) })),
      feature("d", .stringType(.init())),
    ]
    description.state = [
      feature("s", .stateType(.making { $0.type = .arrayType(.making { $0.shape = [7] }) }))
    ]
    description.metadata = .making { $0.license = "MIT" }
    var model = Spec.Model()
    model.specificationVersion = 9
    model.description = description
    let metadata = CompiledMetadata(model, program: .init(), name: "9 lives")
    #expect(metadata.generatedClassName == "_9_lives")
    let json = String(decoding: try metadata.json(), as: UTF8.self)
    let parameters = #""modelParameters" : [{"name" : 1}, "a"]"#
    let other: String = json.replacing(
      try Regex(#""modelParameters" : \[\s*\]"#), with: parameters)
    #expect(other.contains(parameters))
    let read = try #require(CompiledMetadata.read(Data(other.utf8)))
    #expect(read.modelDescription == description)
    #expect(
      read.inputSchema?.map(\.formattedType) == [
        "MultiArray (Float16 1 × 2)", "Image (Color 4 × 5)", "Dictionary (Int64 → Double)",
        "String",
      ])
  }
}
