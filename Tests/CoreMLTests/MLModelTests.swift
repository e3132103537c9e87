import CoreGraphics
import CoreML
import Imaging
import ModelFormat
import Testing

private func numbers(_ output: any MLFeatureProvider, _ name: String = "y") -> [Double] {
  guard let array = output.featureValue(for: name)?.multiArrayValue else { return [] }
  return (0..<array.count).map { array[$0].doubleValue }
}

private func input(_ values: [Double], shape: [NSNumber]? = nil) throws
  -> MLDictionaryFeatureProvider
{
  let array = try MLMultiArray(
    shape: shape ?? [NSNumber(value: values.count)], dataType: .double)
  for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
  return try MLDictionaryFeatureProvider(dictionary: ["x": array])
}

@Suite("MLModel")
struct MLModelTests {
  @Test("A network computes and returns arrays of the declared type and shape")
  func predicts() throws {
    let model = try SampleModels.doubling(shape: [2, 2, 1], dataType: .double).loaded()
    let output = try model.prediction(from: input([1, 2, 3, 4], shape: [2, 2, 1]))
    #expect(numbers(output) == [3, 5, 7, 9])
    let array = try #require(output.featureValue(for: "y")?.multiArrayValue)
    #expect(array.dataType == .double)
    #expect(array.shape == [2, 2, 1])
    #expect(output.featureNames == ["y"])
  }

  @Test("Strided inputs and other element types give the same result")
  func stridedInput() throws {
    let model = try SampleModels.doubling(shape: [2, 3, 1]).loaded()
    let array = MLMultiArray(shape: [2, 3, 1], dataType: .int32, strides: [1, 2, 7])
    for index in 0..<6 { array[index] = NSNumber(value: index) }
    let provider = try MLDictionaryFeatureProvider(dictionary: ["x": array])
    #expect(numbers(try model.prediction(from: provider)) == [1, 3, 5, 7, 9, 11])
  }

  @Test("A missing, mistyped or misshapen input gives a one-sentence error that names it")
  func badInputs() throws {
    let model = try SampleModels.doubling().loaded()
    #expect(
      sentence {
        _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["z": 1]))
      }
        == "The input feature \"x\" is required but the input does not have it; it has \"z\".")
    #expect(
      sentence {
        _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": "text"]))
      } == "The input feature \"x\" expects a multi-array, but its value is a string.")
    #expect(
      sentence { _ = try model.prediction(from: input([1, 2])) }
        == "The multi-array for the input feature \"x\" has the shape 2, but the model expects 3.")
    let painter = try SampleModels.picture(width: 4, height: 2).loaded()
    let buffer = try pixelBuffer(width: 3, height: 2) { _, _ in (0, 0, 0) }
    #expect(
      sentence {
        _ = try painter.prediction(
          from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
      }
        == "The image for the input feature \"image\" is 3 × 2 pixels, but the model expects 4 × 2. "
        + "Scale it first, or let Vision do it.")
  }

  @Test("Errors have Core ML's domain and code")
  func errorCodes() throws {
    let model = try SampleModels.doubling().loaded()
    do {
      _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [:]))
      Issue.record("expected an error")
    } catch MLModelError.featureType {
      // The prediction must throw this error.
    }
    do {
      _ = try MLModel(contentsOf: URL(fileURLWithPath: "/nowhere.mlmodel"))
      Issue.record("expected an error")
    } catch let error as MLModelError {
      #expect(error.code == .io)
      #expect((error as any Error).localizedDescription.contains("/nowhere.mlmodel"))
    }
    #expect(MLModelError.errorDomain == MLModelErrorDomain)
  }

  @Test("A classifier returns the most likely label and all probabilities")
  func classifier() throws {
    let model = try SampleModels.classifier().loaded()
    let output = try model.prediction(from: input([0.125, 0.75, 0.125]))
    #expect(output.featureValue(for: "label")?.stringValue == "middle")
    #expect(
      output.featureValue(for: "probabilities")?.dictionaryValue as? [String: Double]
        == ["low": 0.125, "middle": 0.75, "high": 0.125])
  }

  @Test("An image is read and written in the model's channel order and scale")
  func pictures() throws {
    let same = try SampleModels.picture(width: 5, height: 3).loaded()
    let swapped = try SampleModels.picture(width: 5, height: 3, input: .rgb, output: .bgr).loaded()
    let grey = try SampleModels.picture(width: 5, height: 3, input: .grayscale, output: .grayscale)
      .loaded()
    let buffer = try pixelBuffer(width: 5, height: 3) { x, y in (UInt8(x * 40), UInt8(y * 60), 9) }
    let provider = try MLDictionaryFeatureProvider(dictionary: ["image": buffer])
    func painting(_ model: MLModel) throws -> CVPixelBuffer {
      let output = try model.prediction(from: provider)
      return try #require(output.featureValue(for: "painting")?.imageBufferValue)
    }
    #expect(bytes(try painting(same), x: 3, y: 2) == [9, 120, 120, 255])
    #expect(bytes(try painting(same), x: 4, y: 1) == [9, 60, 160, 255])
    #expect(bytes(try painting(swapped), x: 4, y: 1) == [160, 60, 9, 255])
    let greyBuffer = try painting(grey)
    #expect(CVPixelBufferGetPixelFormatType(greyBuffer) == kCVPixelFormatType_OneComponent8)
    // 0.299 · 160 + 0.587 · 60 + 0.114 · 9 = 84.086
    #expect(bytes(greyBuffer, x: 4, y: 1, count: 1) == [84])
  }

  @Test("A picture with planes of luma and chroma gives the same as the same picture in 32BGRA")
  func planes() throws {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(
      kCFAllocatorDefault, 4, 2, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, &made)
    let planar = try #require(made)
    for (plane, bytes) in [[[10, 90, 170, 250], [30, 60, 120, 240]], [[90, 240, 200, 40]]]
      .enumerated()
    {
      let base = try #require(CVPixelBufferGetBaseAddressOfPlane(planar, plane))
      for (row, values) in bytes.enumerated() {
        let start = row * CVPixelBufferGetBytesPerRowOfPlane(planar, plane)
        for (x, value) in values.enumerated() {
          base.assumingMemoryBound(to: UInt8.self)[start + x] = UInt8(value)
        }
      }
    }
    let model = try SampleModels.picture(width: 4, height: 2).loaded()
    func painting(_ buffer: CVPixelBuffer) throws -> CVPixelBuffer {
      try #require(
        try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
          .featureValue(for: "painting")?.imageBufferValue)
    }
    let colours: [UInt8] = try Picture(planar).pixels
    #expect(Set(colours).count > 8)
    let plain = try pixelBuffer(width: 4, height: 2) { x, y in
      let first: Int = (y * 4 + x) * 3
      return (colours[first], colours[first + 1], colours[first + 2])
    }
    let (one, other) = (try painting(planar), try painting(plain))
    for index in 0..<8 {
      #expect(bytes(one, x: index % 4, y: index / 4) == bytes(other, x: index % 4, y: index / 4))
    }
  }

  @Test("The scaler of the preprocessing is applied per channel")
  func preprocessing() throws {
    let file = SampleModels.picture(width: 2, height: 1) { model in
      guard case .neuralNetwork(var network)? = model.type else { return }
      var scaler = Spec.NeuralNetworkImageScaler()
      scaler.channelScale = 0.5
      (scaler.redBias, scaler.greenBias, scaler.blueBias) = (10, 20, -100)
      var step = Spec.NeuralNetworkPreprocessing()
      step.preprocessor = .scaler(scaler)
      network.preprocessing = [step]
      model.type = .neuralNetwork(network)
    }
    let buffer = try pixelBuffer(width: 2, height: 1) { _, _ in (100, 50, 200) }
    let output = try file.loaded().prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
    let painting = try #require(output.featureValue(for: "painting")?.imageBufferValue)
    #expect(bytes(painting, x: 1, y: 0) == [0, 45, 60, 255])
  }

  @Test("Every 8-bit pixel format is read with the right colours")
  func pixelFormats() throws {
    let model = try SampleModels.picture(width: 2, height: 1).loaded()
    let formats: [(OSType, [UInt8])] = [
      (kCVPixelFormatType_32ARGB, [255, 1, 2, 3]), (kCVPixelFormatType_32RGBA, [1, 2, 3, 255]),
      (kCVPixelFormatType_32ABGR, [255, 3, 2, 1]), (kCVPixelFormatType_24RGB, [1, 2, 3]),
    ]
    for (format, pixel) in formats {
      var created: CVPixelBuffer?
      _ = CVPixelBufferCreate(nil, 2, 1, format, nil, &created)
      let buffer = created!
      let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
      for (index, value) in (pixel + pixel).enumerated() { base[index] = value }
      let output = try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
      let painting = try #require(output.featureValue(for: "painting")?.imageBufferValue)
      #expect(bytes(painting, x: 1, y: 0) == [3, 2, 1, 255])
    }
  }

  @Test("Output backings are filled and returned; unsuitable ones throw an error with a message")
  func outputBackings() throws {
    let model = try SampleModels.doubling().loaded()
    let options = MLPredictionOptions()
    let backing = try MLMultiArray(shape: [3], dataType: .float16)
    options.outputBackings = ["y": backing]
    let output = try model.prediction(from: input([1, 2, 3]), options: options)
    #expect(output.featureValue(for: "y")?.multiArrayValue === backing)
    #expect((0..<3).map { backing[$0].intValue } == [3, 5, 7])
    options.outputBackings = ["y": try MLMultiArray(shape: [4], dataType: .float16)]
    #expect(
      sentence { _ = try model.prediction(from: input([1, 2, 3]), options: options) }
        == "The output backing for the feature \"y\" is an MLMultiArray of shape 4, but the model "
        + "gives an MLMultiArray of shape 3.")
    let painter = try SampleModels.picture(width: 2, height: 2).loaded()
    let target = try pixelBuffer(width: 2, height: 2) { _, _ in (0, 0, 0) }
    let source = try pixelBuffer(width: 2, height: 2) { x, y in (UInt8(x), UInt8(y), 3) }
    options.outputBackings = ["painting": target]
    _ = try painter.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["image": source]), options: options)
    #expect(bytes(target, x: 1, y: 1) == [3, 1, 1, 255])
  }

  @Test("Sizes other than the declared one require a configuration that allows them")
  func anySize() throws {
    let file = SampleModels.picture(width: 4, height: 2)
    let configuration = exact()
    configuration.allowsAnyInputSize = true
    let model = try file.loaded(configuration)
    let buffer = try pixelBuffer(width: 7, height: 5) { x, y in (UInt8(x), UInt8(y), 1) }
    let output = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
    let painting = try #require(output.featureValue(for: "painting")?.imageBufferValue)
    #expect(CVPixelBufferGetWidth(painting) == 7 && CVPixelBufferGetHeight(painting) == 5)
    #expect(bytes(painting, x: 6, y: 4) == [1, 4, 6, 255])
  }

  @Test("An omitted optional input has its default value")
  func optionalInput() throws {
    let file = SampleModels.doubling { model in
      guard var feature = model.description?.input[0], var type = feature.type,
        case .multiArrayType(var array)? = type.type
      else { return }
      array.defaultOptionalValue = .floatDefaultValue(5)
      type.type = .multiArrayType(array)
      type.isOptional = true
      feature.type = type
      model.description?.input = [feature]
    }
    let output = try file.loaded().prediction(from: MLDictionaryFeatureProvider(dictionary: [:]))
    #expect(numbers(output) == [11, 11, 11])
  }

  @Test("A pipeline passes features from model to model")
  func pipeline() throws {
    var second: Spec.Model = SampleModels.network([
      SampleModels.linear(alpha: 10, beta: 0, from: "y", to: "z")
    ])
    second.description?.input = [SampleModels.array("y", [3])]
    second.description?.output = [SampleModels.array("z", [3])]
    var pipeline = Spec.Pipeline()
    pipeline.models = [SampleModels.doubling(), second]
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = Spec.ModelDescription()
    model.description?.input = [SampleModels.array("x", [3])]
    model.description?.output = [SampleModels.array("z", [3])]
    model.type = .pipeline(pipeline)
    let output = try model.loaded().prediction(from: input([0, 1, 2]))
    #expect(numbers(output, "z") == [10, 30, 50])
    #expect(output.featureNames == ["z"])
  }

  @Test("Unsupported model types are reported")
  func unsupported() throws {
    var model = Spec.Model()
    model.specificationVersion = 1
    model.type = .gazetteer(Spec.CoreMLModels.Gazetteer())
    #expect(
      sentence { _ = try model.loaded() }
        == "Models of type gazetteer do not run here, because their parameters are in a format of Apple's "
        + "Natural Language framework that is not published. Convert a text network, or use a glmClassifier "
        + "over word counts.")
    model.type = .mlProgram(Spec.MILSpec.Program())
    #expect(
      sentence { _ = try model.loaded() }
        == "The program has no function 'main'; it has none.")
  }

  @Test("An index outside a table is reported with the layer's name, as an integer")
  func indexOutside() throws {
    var parameters = Spec.EmbeddingNDLayerParams()
    parameters.vocabSize = 3
    parameters.embeddingSize = 1
    var weights = Spec.WeightParams()
    weights.floatValue = [1, 2, 3]
    parameters.weights = weights
    var layer = Spec.NeuralNetworkLayer()
    layer.name = "words"
    layer.input = ["x"]
    layer.output = ["y"]
    layer.layer = .embeddingND(parameters)
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    network.arrayInputShapeMapping = .exactArrayMapping
    let model = try SampleModels.doubling(shape: [2, 1]) {
      $0.specificationVersion = 4
      $0.type = .neuralNetwork(network)
    }.loaded()
    let indices = try MLMultiArray(shape: [2, 1], dataType: .float32)
    indices[1] = 5
    let input = try MLDictionaryFeatureProvider(
      dictionary: ["x": MLFeatureValue(multiArray: indices)])
    #expect(
      sentence { _ = try model.prediction(from: input) }?.contains(
        "'words': the input holds the index 5, expected a number from 0 to 2.") == true)
  }

  @Test("A missing input is named with the available features")
  func missingInput() throws {
    let model = try SampleModels.doubling().loaded()
    let nothing = try MLDictionaryFeatureProvider(dictionary: [:])
    #expect(
      sentence { _ = try model.prediction(from: nothing) }?.hasSuffix(
        "is required but the input does not have it; it has no features.") == true)
    let other = try MLDictionaryFeatureProvider(dictionary: ["other": MLFeatureValue(double: 1)])
    #expect(
      sentence { _ = try model.prediction(from: other) }?.hasSuffix(
        "is required but the input does not have it; it has \"other\".") == true)
  }

  @Test("A compiled model predicts like its source, however it is loaded")
  func compiled() async throws {
    let source = try SampleModels.doubling().written()
    let compile: (URL) throws -> URL = MLModel.compileModel(at:)
    let compiled = try compile(source)
    #expect(compiled.pathExtension == "mlmodelc")
    let again = try await MLModel.compileModel(at: source)
    #expect(again != compiled)
    let direct = try MLModel(contentsOf: compiled)
    let awaited = try await MLModel.load(contentsOf: compiled, configuration: exact())
    let handled: MLModel = try await withCheckedThrowingContinuation { continuation in
      MLModel.load(contentsOf: compiled) { continuation.resume(with: $0) }
    }
    let asset = try MLModelAsset(url: compiled)
    let fromAsset = try await MLModel.load(asset: asset, configuration: MLModelConfiguration())
    for model in [direct, awaited, handled, fromAsset] {
      #expect(numbers(try await model.prediction(from: input([1, 2, 3]))) == [3, 5, 7])
    }
    #expect(awaited.configuration.computeUnits == .cpuOnly)
    #expect(try await asset.modelDescription.inputDescriptionsByName.keys.sorted() == ["x"])
  }

  @Test("A file that is not a model gives a one-sentence error")
  func noModel() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mlmodel")
    try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: url)
    #expect(sentence { _ = try MLModel(contentsOf: url) }?.contains("it is a JPEG picture") == true)
  }

  @Test("A batch gives one output per entry, in order")
  func batch() throws {
    let model = try SampleModels.doubling().loaded()
    let batch = MLArrayBatchProvider(array: try (0..<5).map { try input([Double($0), 0, 0]) })
    let output = try model.predictions(fromBatch: batch)
    #expect(output.count == 5)
    #expect((0..<5).map { numbers(output.features(at: $0))[0] } == [1, 3, 5, 7, 9])
  }

  @Test("One model predicts on many threads concurrently")
  func threads() async throws {
    let model = try SampleModels.doubling().loaded()
    let results = try await withThrowingTaskGroup(of: (Int, [Double]).self) { group in
      for number in 0..<64 {
        group.addTask {
          (number, numbers(try await model.prediction(from: input([Double(number), 1, 2]))))
        }
      }
      var results: [Int: [Double]] = [:]
      for try await (number, values) in group { results[number] = values }
      return results
    }
    for number in 0..<64 {
      #expect(results[number] == [Double(2 * number + 1), 3, 5])
    }
  }

  @Test("A prediction with state throws for a model without state")
  func state() throws {
    let model = try SampleModels.doubling().loaded()
    let state = model.makeState()
    #expect(
      sentence { _ = try model.prediction(from: input([1, 2, 3]), using: state) }?
        .hasPrefix("The state is empty, because a model without state made it.") == true)
  }
}
