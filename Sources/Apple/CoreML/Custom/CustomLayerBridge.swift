import Engine
import Foundation

/// A user's ``MLCustomLayer`` as the engine sees it.
///
/// Apple's framework never calls one layer object from two threads at once either, so user code may keep scratch
/// memory in it.
final class CustomLayerBridge: CustomLayerImplementation {
  private let layers: UserObjectPool<Layer>
  private let layerName: String
  private let className: String

  /// The user's object, for one thread at a time.
  private final class Layer {
    let object: any MLCustomLayer
    /// The shapes of the inputs that it was asked about last.
    var inputShapes: [Shape] = []

    init(_ object: any MLCustomLayer) { self.object = object }

    func outputShapes(for inputs: [Shape]) throws -> [[NSNumber]] {
      inputShapes = inputs
      return try object.outputShapes(
        forInputShapes: inputs.map { $0.dimensions.map { NSNumber(value: $0) } })
    }
  }

  /// Makes the layer that a model asks for; this is the engine's factory of custom layers.
  static let factory: CustomLayerFactory = { request in
    if let make = MLCustomLayerRegistry.maker(named: request.className) { return try make(request) }
    return try CustomLayerBridge(request)
  }

  private init(_ request: CustomLayerRequest) throws {
    layerName = request.layerName
    className = request.className
    guard let type = MLCustomLayerRegistry.layerType(named: request.className) else {
      let isForeign: Bool = ConformanceScan.hasForeignType(
        named: request.className, conformingTo: (any MLCustomLayer).self)
      throw EngineError(
        .customLayer,
        CustomLayerBridge.missing(request.className)
          + (isForeign ? CustomLayerBridge.foreignCopy : ""))
    }
    layers = try UserObjectPool {
      do {
        let layer = try type.init(parameters: request.parameters.mapValues(\.object))
        try layer.setWeightData(request.weights.map { Data($0) })
        return Layer(layer)
      } catch {
        throw EngineError(
          .customLayer,
          CustomLayerBridge.missing(request.className)
            + " The class refused the model's parameters or weights: \(error.localizedDescription)")
      }
    }
  }

  private static let foreignCopy: String =
    " A loaded library has a class of that name, but also a copy of CoreML of its own; build it "
    + "without one, as Scripts/build_plugin.sh does."

  /// Apple's sentence.
  static func missing(_ className: String) -> String {
    "Error creating Core ML custom layer implementation from factory for layer \"\(className)\"."
  }

  func outputShapes(for inputs: [Shape]) throws -> [Shape] {
    let result: [[NSNumber]] = try layers.use { layer in
      try naming { try layer.outputShapes(for: inputs) }
    }
    return result.map { numbers in Shape(numbers.map { $0.intValue }) }
  }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    var lent: [ArrayMemory] = (inputs + outputs).map { tensor in
      ArrayMemory(
        start: UnsafeMutableRawPointer(tensor.data), byteCount: tensor.shape.count * 4, release: nil
      )
    }
    // The arrays are gone here, unless user code has kept them.
    defer {
      for index in lent.indices where !isKnownUniquelyReferenced(&lent[index]) {
        lent[index].becomeOwn()
      }
    }
    try evaluate(inputs.map(\.shape), outputs.map(\.shape), in: lent)
  }

  private func evaluate(
    _ inputs: [Shape], _ outputs: [Shape], in memories: [ArrayMemory]
  ) throws {
    let arrays: [MLMultiArray] = zip(inputs + outputs, memories).map { shape, memory in
      MLMultiArray(
        memory: memory, layout: ArrayLayout(shape: shape.dimensions), dataType: .float32)
    }
    try layers.use { layer in
      try naming {
        // Classes remember sizes; a plan that was made before asks no more.
        if layer.inputShapes != inputs { _ = try layer.outputShapes(for: inputs) }
        try layer.object.evaluate(
          inputs: Array(arrays.prefix(inputs.count)), outputs: Array(arrays.dropFirst(inputs.count))
        )
      }
    }
  }

  private func naming<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      throw EngineError(
        .customLayer,
        "The custom layer \"\(layerName)\" of class \(className) failed: "
          + "\(error.localizedDescription)")
    }
  }
}

extension CustomLayerParameter {
  /// The parameter as Apple hands it over: numbers and flags as `NSNumber`, texts as `String`.
  var object: Any {
    switch self {
    case .double(let value): NSNumber(value: value)
    case .string(let value): value
    case .integer(let value): NSNumber(value: value)
    case .long(let value): NSNumber(value: value)
    case .bool(let value): NSNumber(value: value)
    }
  }
}
