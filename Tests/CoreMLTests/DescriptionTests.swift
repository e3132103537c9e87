import CoreML
import ModelFormat
import Testing

@testable import CoreML

@Suite("Descriptions and constraints")
struct DescriptionTests {
  private func constraint(
    _ flexibility: Spec.ImageFeatureType.OneOfSizeFlexibility?
  ) throws -> MLFeatureDescription {
    var model: Spec.Model = SampleModels.picture(width: 20, height: 10)
    var image = Spec.ImageFeatureType()
    image.width = 20
    image.height = 10
    image.colorSpace = .rgb
    image.sizeFlexibility = flexibility
    model.description?.input = [SampleModels.feature("image", .imageType(image))]
    return try #require(MLModelDescription(model).inputDescriptionsByName["image"])
  }

  private func allows(_ description: MLFeatureDescription, _ width: Int, _ height: Int) throws
    -> Bool
  {
    description.isAllowedValue(
      MLFeatureValue(
        pixelBuffer: try pixelBuffer(width: width, height: height) { _, _ in (0, 0, 0) }))
  }

  @Test("An image of fixed size allows only that size")
  func fixedSize() throws {
    let description = try constraint(nil)
    #expect(description.imageConstraint?.pixelFormatType == kCVPixelFormatType_32BGRA)
    #expect(description.imageConstraint?.sizeConstraint.type == .unspecified)
    #expect(try allows(description, 20, 10))
    #expect(try !allows(description, 10, 20))
    #expect(!description.isAllowedValue(MLFeatureValue(double: 1)))
  }

  @Test("Enumerated sizes allow each of them")
  func enumeratedSizes() throws {
    var sizes = Spec.ImageFeatureType.EnumeratedImageSizes()
    var size = Spec.ImageFeatureType.ImageSize()
    (size.width, size.height) = (30, 30)
    sizes.sizes = [size]
    let description = try constraint(.enumeratedSizes(sizes))
    let constraint = try #require(description.imageConstraint?.sizeConstraint)
    #expect(constraint.type == .enumerated)
    #expect(constraint.enumeratedImageSizes.map(\.pixelsWide) == [20, 30])
    #expect(try allows(description, 30, 30) && allows(description, 20, 10))
    #expect(try !allows(description, 30, 10))
  }

  @Test("A size range allows the sizes inside it, and -1 means no limit")
  func rangeOfSizes() throws {
    var range = Spec.ImageFeatureType.ImageSizeRange()
    var wide = Spec.SizeRange()
    (wide.lowerBound, wide.upperBound) = (10, 40)
    var high = Spec.SizeRange()
    (high.lowerBound, high.upperBound) = (10, -1)
    (range.widthRange, range.heightRange) = (wide, high)
    let description = try constraint(.imageSizeRange(range))
    let constraint = try #require(description.imageConstraint?.sizeConstraint)
    #expect(constraint.pixelsWideRange == NSRange(location: 10, length: 31))
    #expect(constraint.pixelsHighRange.location == 10)
    #expect(try allows(description, 40, 4000))
    #expect(try !allows(description, 41, 10))
  }

  @Test("Array shapes are checked, and leading axes of length 1 are allowed")
  func shapes() throws {
    let model = SampleModels.doubling(shape: [2, 3, 4], dataType: .double)
    let description = try #require(MLModelDescription(model).inputDescriptionsByName["x"])
    #expect(description.multiArrayConstraint?.shape == [2, 3, 4])
    #expect(description.multiArrayConstraint?.dataType == .double)
    func allows(_ shape: [NSNumber]) throws -> Bool {
      description.isAllowedValue(
        MLFeatureValue(multiArray: try MLMultiArray(shape: shape, dataType: .float32)))
    }
    #expect(try allows([2, 3, 4]) && allows([1, 1, 2, 3, 4]))
    #expect(try !allows([2, 3]) && !allows([2, 2, 3, 4]))
  }

  @Test("Shape ranges allow the shapes inside them")
  func shapeRanges() throws {
    var array = Spec.ArrayFeatureType()
    array.shape = [3, 8]
    array.dataType = .float32
    var ranges = Spec.ArrayFeatureType.ShapeRange()
    var first = Spec.SizeRange()
    (first.lowerBound, first.upperBound) = (3, 3)
    var second = Spec.SizeRange()
    (second.lowerBound, second.upperBound) = (1, -1)
    ranges.sizeRanges = [first, second]
    array.shapeFlexibility = .shapeRange(ranges)
    let constraint = MLMultiArrayConstraint(array)
    #expect(constraint.shapeConstraint.type == .range)
    #expect(
      constraint.shapeConstraint.sizeRangeForDimension[0].rangeValue
        == NSRange(location: 3, length: 1))
    #expect(constraint.allows([3, 500]) && !constraint.allows([2, 500]))
  }

  @Test("A classifier's metadata, labels and names match the file")
  func classifier() throws {
    var model: Spec.Model = SampleModels.classifier()
    var metadata = Spec.Metadata()
    metadata.author = "Ada"
    metadata.userDefined = ["k": "v"]
    model.description?.metadata = metadata
    let description = try MLModelDescription(model)
    #expect(description.classLabels as? [String] == ["low", "middle", "high"])
    #expect(description.predictedFeatureName == "label")
    #expect(description.predictedProbabilitiesName == "probabilities")
    #expect(description.metadata[.author] as? String == "Ada")
    #expect(description.metadata[.creatorDefinedKey] as? [String: String] == ["k": "v"])
    #expect(
      description.outputDescriptionsByName["probabilities"]?.dictionaryConstraint?.keyType
        == .string)
  }

  @Test("An updatable model lists its parameters")
  func parameters() throws {
    var model: Spec.Model = SampleModels.doubling()
    var update = Spec.NetworkUpdateParameters()
    var epochs = Spec.Int64Parameter()
    epochs.defaultValue = 12
    update.epochs = epochs
    var rate = Spec.DoubleParameter()
    rate.defaultValue = 0.25
    var range = Spec.DoubleRange()
    (range.minValue, range.maxValue) = (0, 1)
    rate.allowedValues = .range(range)
    var sgd = Spec.SGDOptimizer()
    sgd.learningRate = rate
    var optimizer = Spec.Optimizer()
    optimizer.optimizerType = .sgdOptimizer(sgd)
    update.optimizer = optimizer
    if case .neuralNetwork(var network)? = model.type {
      network.updateParams = update
      model.type = .neuralNetwork(network)
    }
    let parameters = try MLModelDescription(model).parameterDescriptionsByKey
    #expect(parameters[.epochs]?.defaultValue as? Int == 12)
    #expect(parameters[.learningRate]?.numericConstraint?.maxNumber == 1)
    let loaded = try model.loaded()
    #expect(try loaded.parameterValue(for: .learningRate) as? Double == 0.25)
    #expect(
      sentence { _ = try loaded.parameterValue(for: .momentum) }
        == "The model has no parameter 'momentum'; it has 'epochs', 'learningRate'.")
  }
}
