import Conversion
import CoreML
import Engine
import Imaging
import ModelFormat
import Operators
import Mutants

/// What came of one mutant.
enum Verdict: String {
  case predicted
  case refused
  /// An error that says nothing.
  case speechless
  /// `convert` wrote what cannot be read or planned, or left something behind.
  case misconverted

  var isFinding: Bool { self == .speechless || self == .misconverted }
}

/// One mutant through everything that a program would do with it.
enum Trial {
  /// What a prediction may take, in bytes.
  static let memoryLimit = 64 << 20
  /// A picture may have so many pixels.
  static let pixelLimit = 1 << 22
  /// How long a prediction may go on, in seconds: loops of models have no other bound.
  static let predictionTime = 1.0

  /// Loads a model, plans it for the inputs that it declares, predicts in both precisions, and converts it.
  static func model(_ bytes: [UInt8], _ numbers: [String: [Double]]) async -> (Verdict, String) {
    let prediction: (Verdict, String)
    do {
      let file = try ModelFile(bytes: bytes)
      if let network = NeuralNetworkMessage(file.model) {
        // What the engine refuses the model must refuse too, not end the process.
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

  /// The same for a model of any format, in files.
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

  /// Reads a picture.
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
    return (text.count > 10 ? .refused : .speechless, text)
  }

  /// Converts what was predicted with; what is wrong with that counts for more than a refusal.
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
      return (.speechless, "the mutant cannot be written: \(error)")
    }
  }

  /// By way of the engine: shapes that are too large to be filled are planned.
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
    _ graph: Graph, _ types: [TensorType], numbers: (BorderTensor) -> [Double]
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

  /// By way of Apple's interface: as declared in both precisions, then with one side longer.
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
        // What the model declares was computed; that it takes no other size is its right.
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
  /// The types of the inputs for somebody who does not care: what is free is small.
  var usualTypes: [TensorType] {
    inputs.map { feature in
      let extents: [Int] =
        feature.usual ?? (feature.extents ?? []).map { $0.fixed ?? max($0.lower, 3) }
      return TensorType(Shape(extents), feature.held)
    }
  }
}
