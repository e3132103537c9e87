import CoreML
import Testing

// A class as Xcode writes it for a model, to see that such files compile and work as they are.

@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
class DoublingInput: MLFeatureProvider {
  var x: MLMultiArray

  var featureNames: Set<String> {
    get {
      return ["x"]
    }
  }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    if (featureName == "x") {
      return MLFeatureValue(multiArray: x)
    }
    return nil
  }

  init(x: MLMultiArray) {
    self.x = x
  }

  convenience init(x: MLShapedArray<Float>) {
    self.init(x: MLMultiArray(x))
  }
}

@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
class DoublingOutput: MLFeatureProvider {
  private let provider: MLFeatureProvider

  lazy var y: MLMultiArray = {
    [unowned self] in return self.provider.featureValue(for: "y")!.multiArrayValue
  }()!

  var yShapedArray: MLShapedArray<Float> {
    return MLShapedArray<Float>(self.y)
  }

  var featureNames: Set<String> {
    return self.provider.featureNames
  }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    return self.provider.featureValue(for: featureName)
  }

  init(y: MLMultiArray) {
    self.provider = try! MLDictionaryFeatureProvider(dictionary: [
      "y": MLFeatureValue(multiArray: y)
    ])
  }

  init(features: MLFeatureProvider) {
    self.provider = features
  }
}

@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
class Doubling {
  let model: MLModel

  init(model: MLModel) {
    self.model = model
  }

  convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
    try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
  }

  class func load(
    contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping (Swift.Result<Doubling, Error>) -> Void
  ) {
    MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
      switch result {
      case .failure(let error):
        handler(.failure(error))
      case .success(let model):
        handler(.success(Doubling(model: model)))
      }
    }
  }

  class func load(
    contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> Doubling {
    let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
    return Doubling(model: model)
  }

  func prediction(input: DoublingInput) throws -> DoublingOutput {
    return try self.prediction(input: input, options: MLPredictionOptions())
  }

  func prediction(input: DoublingInput, options: MLPredictionOptions) throws -> DoublingOutput {
    let outFeatures = try model.prediction(from: input, options: options)
    return DoublingOutput(features: outFeatures)
  }

  func predictions(inputs: [DoublingInput], options: MLPredictionOptions = MLPredictionOptions())
    throws -> [DoublingOutput]
  {
    let batchIn = MLArrayBatchProvider(array: inputs)
    let batchOut = try model.predictions(from: batchIn, options: options)
    var results: [DoublingOutput] = []
    results.reserveCapacity(inputs.count)
    for i in 0..<batchOut.count {
      let outProvider = batchOut.features(at: i)
      let result = DoublingOutput(features: outProvider)
      results.append(result)
    }
    return results
  }
}

@Suite("Classes that Xcode generates")
struct GeneratedClassTests {
  @Test("They compile and predict")
  func predict() throws {
    let url = try SampleModels.doubling().written()
    let doubling = try Doubling(contentsOf: url, configuration: exact())
    let input = DoublingInput(x: MLShapedArray<Float>(scalars: [1, 2, 3], shape: [3]))
    #expect(try doubling.prediction(input: input).yShapedArray.scalars == [3, 5, 7])
    let outputs = try doubling.predictions(inputs: [input, input])
    #expect(outputs.map { $0.y[2].intValue } == [7, 7])
  }
}
