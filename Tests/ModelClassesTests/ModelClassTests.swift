import Foundation
import ModelFormat
import Testing

@testable import ModelClasses

/// Tests the text of generated classes. GeneratedClassPackageTests in CommandLineTests compiles this text and predicts
/// with it.
@Suite struct ModelClassTests {
  static func feature(_ name: String, _ type: Spec.FeatureType.OneOfType, _ words: String = "")
    -> Spec.FeatureDescription
  {
    .making { feature in
      (feature.name, feature.shortDescription) = (name, words)
      feature.type = .making { $0.type = type }
    }
  }

  static func picture(_ color: Spec.ImageFeatureType.ColorSpace = .rgb)
    -> Spec.FeatureType.OneOfType
  {
    .imageType(.making { ($0.width, $0.height, $0.colorSpace) = (320, 240, color) })
  }

  static func source(
    _ inputs: [Spec.FeatureDescription], _ outputs: [Spec.FeatureDescription],
    states: [Spec.FeatureDescription] = [], isPublic: Bool = false
  ) -> String {
    let description: Spec.ModelDescription = .making {
      ($0.input, $0.output, $0.state) = (inputs, outputs, states)
    }
    return ModelClass(description, name: "My model", isPublic: isPublic).source
  }

  @Test func `The class of an image model has the members of Xcode's class`() {
    let made: String = Self.source(
      [Self.feature("image", Self.picture(), "A photo")], [Self.feature("output", Self.picture())])
    for part in [
      "class My_model {", "class My_modelInput: MLFeatureProvider {",
      "class My_modelOutput: MLFeatureProvider {",
      "/// A photo. A colour picture, 320 pixels wide and 240 high.",
      "convenience init(imageWith image: CGImage) throws {",
      "convenience init(imageAt image: URL) throws {",
      "func setImage(with image: CGImage) throws {",
      "func prediction(image: CVPixelBuffer) throws -> My_modelOutput {", "func predictions(",
      "async throws -> My_modelOutput {", "class func load(", "var output: CVPixelBuffer {",
      "kCVPixelFormatType_32ARGB",
    ] { #expect(made.contains(part), "\(part)") }
    #expect(!made.contains("MLState"))
  }

  @Test func `The class of a model with states makes and passes on an MLState`() {
    let array: Spec.FeatureType.OneOfType = .multiArrayType(.making { $0.dataType = .float16 })
    let made: String = Self.source(
      [Self.feature("x", array)], [Self.feature("y", array)],
      states: [Self.feature("memory", array)])
    #expect(made.contains("func makeState() -> MLState {"))
    #expect(made.contains("func prediction(input: My_modelInput, using state: MLState) throws"))
    #expect(made.contains("MLShapedArray<Float16>"))
  }

  @Test func `Names that Swift does not allow are changed only in the class`() {
    let made: String = Self.source(
      [
        Self.feature("1st \"x\"", .doubleType(.init())), Self.feature("class", .int64Type(.init())),
      ],
      [Self.feature("a.b", .stringType(.init()))])
    for part in [
      "var _1st__x_: Double", "\"1st \\\"x\\\"\"", "var class_: Int64", "var a_b: String {",
    ] {
      #expect(made.contains(part), "\(part)")
    }
  }

  @Test func `A public class has public members`() {
    let made: String = Self.source(
      [Self.feature("x", .doubleType(.init()))], [Self.feature("y", .doubleType(.init()))],
      isPublic: true)
    #expect(made.contains("public class My_model {"))
    #expect(made.contains("public var x: Double"))
  }

  @Test func `Text in a description cannot end its comment`() {
    let made: String = Self.source(
      [Self.feature("x", .doubleType(.init()), "one\nimport Glibc\r\nsystem(\"x\")")],
      [Self.feature("y", .doubleType(.init()))])
    #expect(!made.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("import Glibc") })
    #expect(!made.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("system") })
  }
}
