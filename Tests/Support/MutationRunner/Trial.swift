import Conversion
import CoreML
import Engine
import Imaging
import ModelFormat
import Operators
import Mutants

/// The result of one mutant.
enum Verdict: String {
  case predicted
  case refused
  /// An error without a message.
  case withoutMessage
  /// The conversion wrote a file that cannot be read or planned, or left files although it refused the model.
  case misconverted

  var isFinding: Bool { self == .withoutMessage || self == .misconverted }
}

/// Runs one mutant through every operation of the library.
enum Trial {
  /// The memory limit of a prediction, in bytes.
  static let memoryLimit = 64 << 20
  /// The largest number of pixels in an image that is read.
  static let pixelLimit = 1 << 22
  /// The time limit of a prediction, in seconds. Loops in models have no other limit.
  static let predictionTime = 1.0

  /// Loads a model, plans it for the inputs that it declares, predicts in both precisions, and converts it.
  static func model(_ bytes: [UInt8], _ numbers: [String: [Double]]) async -> (Verdict, String) {
    let prediction: (Verdict, String)
    do {
      let file = try ModelFile(bytes: bytes)
      if let network = NeuralNetworkMessage(file.model) {
        // If the engine refuses the model, the Core ML interface must refuse the model too, without a crash.
        _ = try? computes(network, file.model.description, numbers)
      }
      let isPredicted: Bool = try await predicts(numbers) {
        try await MLModel.load(
          asset: MLModelAsset(specification: Data(bytes)), configuration: $0)
      }
      prediction = (isPredicted ? .predicted : .refused, "")
    } catch {
      prediction = judged(error)
    }
    return converted(after: prediction) { folder in
      let file: URL = folder.appendingPathComponent("mutant.mlmodel")
      try Data(bytes).write(to: file)
      return file
    }
  }

  /// Does the same as ``model(_:_:)`` for a model that is stored in files of any format.
  static func file(_ seed: FileSeed) async -> (Verdict, String) {
    let prediction: (Verdict, String)
    do {
      let folder = try Scratch.folder("predicted")
      let url: URL = try seed.write(into: folder)
      let isPredicted: Bool
      if let reader = ModelReaders.foreignReader(of: url) {
        let model: GraphModel = try reader.read(url, options: ReadingOptions())
        _ = try? computes(model, seed.values)
        isPredicted = try await predicts(seed.values) {
          try MLModel(graph: model, configuration: $0)
        }
      } else {
        isPredicted = try await predicts(seed.values) {
          try MLModel(contentsOf: url, configuration: $0)
        }
      }
      prediction = (isPredicted ? .predicted : .refused, "")
    } catch {
      prediction = judged(error)
    }
    return converted(after: prediction) { try seed.write(into: $0) }
  }

  /// Reads an image.
  static func picture(_ bytes: [UInt8]) -> (Verdict, String) {
    do {
      _ = try Picture.probe(data: Data(bytes))
      _ = try Picture(data: Data(bytes), pixelLimit: pixelLimit)
      return (.predicted, "")
    } catch {
      return judged(error)
    }
  }

  static func judged(_ error: any Error) -> (Verdict, String) {
    let text: String = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    return (text.count > 10 ? .refused : .withoutMessage, text)
  }

  /// Converts the model, unless its prediction has a problem already. Returns the problem of the conversion if there is
  /// one, and otherwise the result of the prediction.
  private static func converted(
    after prediction: (Verdict, String), write: (URL) throws -> URL
  ) -> (Verdict, String) {
    guard !prediction.0.isFinding else { return prediction }
    do {
      let folder = try Scratch.folder("converted")
      let source: URL = try write(folder)
      if let fault = try ConversionTrial.fault(of: source, in: folder) {
        return (.misconverted, fault)
      }
      return prediction
    } catch {
      return (.withoutMessage, "the mutant cannot be written: \(error)")
    }
  }

  /// Plans and runs the model with the engine alone. A model whose shapes are too large to fill is only planned.
  private static func computes(
    _ message: NeuralNetworkMessage, _ description: Spec.ModelDescription?,
    _ numbers: [String: [Double]]
  ) throws {
    let description: Spec.ModelDescription = description ?? Spec.ModelDescription()
    let graph = try Graph(message, description: description, catalog: .standard)
    let types = try NetworkInterface(message, description: description).declaredInputTypes()
    try run(graph, types) { numbers[$0.name] ?? [] }
  }

  private static func computes(_ model: GraphModel, _ numbers: [String: [Double]]) throws {
    let names: [String] = model.inputs.map(\.name)
    try run(model.graph, model.usualTypes) { port in
      names.firstIndex(of: port.name).flatMap { numbers[names[$0]] } ?? []
    }
  }

  private static func run(
    _ graph: Graph, _ types: [TensorType], numbers: (PortTensor) -> [Double]
  ) throws {
    for precision in [Precision.float32, .bfloat16] {
      let options = ExecutionOptions(
        precision: precision, threads: 2, memoryLimit: memoryLimit, loopLimit: 300)
      let network = Network(graph, passes: GraphPasses.standard, options: options)
      let prepared = try network.plan(for: types)
      guard types.allSatisfy({ $0.shape.count <= 1_000_000 }) else { return }
      try prepared.withSession { session in
        for index in types.indices where types[index].shape.count > 0 {
          let port = session.input(index)
          let given: [Double] = numbers(port)
          let known: [Double] = given.isEmpty ? [0, 1, 0.5] : given
          let values = (0..<port.form.shape.count).map { known[$0 % known.count] }
          TensorCodec.pack(
            ReferenceTensor(port.form.shape, values).converted(to: types[index].element),
            as: port.form, into: port.memory)
        }
        try session.run()
        for index in graph.outputs.indices { _ = try session.output(index).form }
      }
    }
  }

  /// Uses the Core ML interface. Predicts three times: with the declared shapes in float32, with the declared shapes
  /// and all compute units, and with all compute units on inputs with one longer side.
  private static func predicts(
    _ numbers: [String: [Double]], load: (MLModelConfiguration) async throws -> MLModel
  ) async throws -> Bool {
    var isPredicted = false
    for (units, isStretched) in [(MLComputeUnits.cpuOnly, false), (.all, false), (.all, true)] {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = units
      configuration.threadCount = 2
      configuration.memoryLimit = memoryLimit
      configuration.allowsAnyInputSize = isStretched
      do {
        let model: MLModel = try await load(configuration)
        isPredicted = try predicts(model, numbers, isStretched) || isPredicted
      } catch  where isStretched {
        // The model has computed at its declared shapes. It may refuse other shapes, but only with a message.
        guard judged(error).0 == .refused else { throw error }
      }
    }
    return isPredicted
  }

  private static func predicts(
    _ model: MLModel, _ numbers: [String: [Double]], _ isStretched: Bool
  ) throws -> Bool {
    _ = model.modelDescription.description
    guard
      let input = try features(
        for: model.modelDescription, numbers: numbers, isStretched: isStretched)
    else { return false }
    let options = MLPredictionOptions()
    options.timeLimit = predictionTime
    let state: MLState = model.makeState()
    let output: any MLFeatureProvider =
      state.stateNames.isEmpty
      ? try model.prediction(from: input, options: options)
      : try model.prediction(from: input, using: state, options: options)
    for name in output.featureNames { _ = output.featureValue(for: name)?.description }
    return true
  }
}

extension GraphModel {
  /// The types of the inputs, with 3 for each free extent.
  var usualTypes: [TensorType] { types(free: 3) }

  /// Whether an input without a default shape has a free extent or an unknown rank.
  var hasFreeExtents: Bool {
    inputs.contains { feature in
      feature.usual == nil && feature.extents?.allSatisfy { $0.fixed != nil } != true
    }
  }

  /// Returns the types of the inputs. Each free extent becomes `number`, clamped to the bounds of the extent.
  func types(free number: Int) -> [TensorType] {
    inputs.map { feature in
      let extents: [Int] =
        feature.usual
        ?? (feature.extents ?? []).map { extent in
          extent.fixed ?? min(max(extent.lower, number), max(extent.lower, extent.upper ?? Int.max))
        }
      return TensorType(Shape(extents), feature.held)
    }
  }
}
