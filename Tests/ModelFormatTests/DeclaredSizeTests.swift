import Testing

@testable import ModelFormat

@Suite("Sizes that a description declares")
struct DeclaredSizeTests {
  private static func range(_ lower: UInt64, _ upper: Int64) -> Spec.SizeRange {
    .making { ($0.lowerBound, $0.upperBound) = (lower, upper) }
  }

  private static func array(_ shape: [Int64], _ ranges: [Spec.SizeRange])
    -> Spec.FeatureType.OneOfType
  {
    .multiArrayType(
      .making {
        $0.shape = shape
        $0.dataType = .float32
        $0.shapeFlexibility = .shapeRange(.making { $0.sizeRanges = ranges })
      })
  }

  private static func picture(_ width: Int64, _ height: Int64, _ widths: Spec.SizeRange)
    -> Spec.FeatureType.OneOfType
  {
    .imageType(
      .making {
        $0.width = width
        $0.height = height
        $0.colorSpace = .rgb
        $0.sizeFlexibility = .imageSizeRange(.making { $0.widthRange = widths })
      })
  }

  private static func model(_ type: Spec.FeatureType.OneOfType) -> Spec.Model {
    var model: Spec.Model = SampleModels.network()
    model.description?.input = [
      .making {
        $0.name = "x"
        $0.type = .making { $0.type = type }
      }
    ]
    return model
  }

  private static func reading(_ model: Spec.Model) throws -> ModelFile {
    try ModelFile(bytes: model.serialized())
  }

  @Test(
    "The sizes that a description declares must be consistent",
    arguments: [
      (
        array([1, 3], [range(1, -1), range(1, 3), range(1, 10)]),
        "declares a shape of 2 axes and ranges of 3, expected one range for each axis."
      ),
      (array([1, 3], [range(1, -1), range(4, -1)]), "declares 3 for axis 1, expected 4 or more."),
      (array([1, 3], [range(1, 1), range(1, 2)]), "declares 3 for axis 1, expected 1 to 2."),
      (
        array([], [range(1 << 40, 6)]),
        "declares at least 1099511627776 and at most 6 for axis 0, expected bounds in rising order."
      ),
      (picture(20, 10, range(30, -1)), "declares 20 for the width, expected 30 or more."),
      (
        picture(0, 0, range(.max, 9)),
        "declares at least 18446744073709551615 and at most 9 for the width, expected bounds in rising order."
      ),
    ])
  func contradictions(type: Spec.FeatureType.OneOfType, sentence: String) throws {
    let expected = "Model in memory: feature 'x' \(sentence) The file may be damaged."
    let error = #expect(throws: ModelFormatError.self) { try Self.reading(Self.model(type)) }
    #expect(error?.message == expected)
    // Makes the same check for a model inside a pipeline.
    var pipeline = Spec.Model()
    pipeline.specificationVersion = 4
    pipeline.type = .pipeline(.making { $0.models = [Self.model(type)] })
    let inner = #expect(throws: ModelFormatError.self) { try Self.reading(pipeline) }
    #expect(inner?.message == expected)
  }

  @Test(
    "A description may leave the default size or a bound open",
    arguments: [
      array([1, 3], [range(1, -1), range(3, 3)]), array([], [range(5, 0), range(0, 0)]),
      array([2], [range(0, .max)]), picture(20, 10, range(1, -1)), picture(0, 0, range(8, 64)),
    ])
  func agreements(type: Spec.FeatureType.OneOfType) throws {
    #expect(try Self.reading(Self.model(type)).model.description?.input.count == 1)
  }
}
