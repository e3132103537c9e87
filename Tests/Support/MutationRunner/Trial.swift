import CoreML
import Engine
import Imaging
import Operators
import ModelFormat

/// What came of one mutant.
enum Verdict: String {
  case predicted
  case refused
  /// An error that says nothing.
  case speechless
}

/// One mutant through everything that a program would do with it.
enum Trial {
  /// What a prediction may take, in bytes.
  static let memoryLimit = 64 << 20
  /// A picture may have so many pixels.
  static let pixelLimit = 1 << 22

  /// Loads a model, plans it for the inputs that it declares, and predicts in both precisions.
  static func model(_ bytes: [UInt8], _ numbers: [String: [Double]]) async -> (Verdict, String) {
    do {
      let file = try ModelFile(bytes: bytes)
      let engine: Result<Bool, any Error> = Result { try computes(file.model, numbers) }
      if file.model.hasLoop { return (try engine.get() ? .predicted : .refused, "") }
      // What the engine refuses the model must refuse too, not end the process.
      return (try await predicts(bytes, numbers) ? .predicted : .refused, "")
    } catch {
      return judged(error)
    }
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

  private static func judged(_ error: any Error) -> (Verdict, String) {
    let text: String = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    return (text.count > 10 ? .refused : .speechless, text)
  }

  /// By way of the engine: bounded loops, and shapes that are too large to be filled are planned.
  private static func computes(_ model: Spec.Model, _ numbers: [String: [Double]]) throws -> Bool {
    guard let message = NeuralNetworkMessage(model) else { return false }
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    let graph = try Graph(message, description: description, catalog: .standard)
    let types = try NetworkInterface(message, description: description).declaredInputTypes()
    for precision in [Precision.float32, .bfloat16] {
      let options = ExecutionOptions(
        precision: precision, threads: 2, memoryLimit: memoryLimit, loopLimit: 300)
      let network = Network(graph, passes: GraphPasses.standard, options: options)
      let prepared = try network.plan(for: types)
      guard types.allSatisfy({ $0.shape.count <= 1_000_000 }) else { return false }
      try prepared.withSession { session in
        for index in types.indices {
          let port = session.input(index)
          let given: [Double] = numbers[port.name] ?? []
          let known: [Double] = given.isEmpty ? [0] : given
          let values = (0..<port.form.shape.count).map { known[$0 % known.count] }
          TensorCodec.pack(
            ReferenceTensor(port.form.shape, values), as: port.form, into: port.memory)
        }
        try session.run()
        for index in graph.outputs.indices { _ = try session.output(index).form }
      }
    }
    return true
  }

  /// By way of Apple's interface: as declared in both precisions, then with one side longer.
  private static func predicts(_ bytes: [UInt8], _ numbers: [String: [Double]]) async throws -> Bool
  {
    var isPredicted = false
    for (units, isStretched) in [(MLComputeUnits.cpuOnly, false), (.all, false), (.all, true)] {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = units
      configuration.threadCount = 2
      configuration.memoryLimit = memoryLimit
      configuration.allowsAnyInputSize = isStretched
      do {
        isPredicted = try await predicts(bytes, numbers, configuration, isStretched) || isPredicted
      } catch  where isStretched {
        // What the model declares was computed; that it takes no other size is its right.
        guard judged(error).0 == .refused else { throw error }
      }
    }
    return isPredicted
  }

  private static func predicts(
    _ bytes: [UInt8], _ numbers: [String: [Double]], _ configuration: MLModelConfiguration,
    _ isStretched: Bool
  ) async throws -> Bool {
    let model: MLModel = try await MLModel.load(
      asset: MLModelAsset(specification: Data(bytes)), configuration: configuration)
    _ = model.modelDescription.description
    guard
      let input = try features(
        for: model.modelDescription, numbers: numbers, isStretched: isStretched)
    else { return false }
    let output = try await model.prediction(from: input)
    for name in output.featureNames { _ = output.featureValue(for: name)?.description }
    return true
  }
}

extension Spec.Model {
  /// Whether a network in it has a loop, which may run for minutes where nothing bounds it.
  fileprivate var hasLoop: Bool {
    if let network = NeuralNetworkMessage(self) { return network.layers.contains { $0.hasLoop } }
    switch type {
    case .pipeline(let pipeline)?: return pipeline.models.contains { $0.hasLoop }
    case .pipelineClassifier(let classifier)?:
      return classifier.pipeline?.models.contains { $0.hasLoop } ?? false
    case .pipelineRegressor(let regressor)?:
      return regressor.pipeline?.models.contains { $0.hasLoop } ?? false
    default: return false
    }
  }
}

extension Spec.NeuralNetworkLayer {
  fileprivate var hasLoop: Bool {
    switch layer {
    case .loop?: true
    case .branch(let branch)?:
      ((branch.ifBranch?.layers ?? []) + (branch.elseBranch?.layers ?? [])).contains { $0.hasLoop }
    default: false
    }
  }
}
