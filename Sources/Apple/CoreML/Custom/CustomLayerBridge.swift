import Engine
import Foundation

/// A custom layer of the engine that calls a user's ``MLCustomLayer``.
///
/// As in Apple's framework, two threads never call one layer object at the same time. User code may therefore keep
/// scratch memory in the object.
final class CustomLayerBridge: CustomLayerImplementation {
  private let layers: UserObjectPool<Layer>
  private let layerName: String
  private let className: String

  /// An object of the user's class. One thread at a time uses the object.
  private final class Layer {
    let object: any MLCustomLayer
    /// The input shapes in the last call of the object's `outputShapes`.
    var inputShapes: [Shape] = []

    init(_ object: any MLCustomLayer) { self.object = object }

    func outputShapes(for inputs: [Shape]) throws -> [[NSNumber]] {
      inputShapes = inputs
      return try object.outputShapes(
        forInputShapes: inputs.map { $0.dimensions.map { NSNumber(value: $0) } })
    }
  }

  /// The function that the engine calls to make the custom layers of models.
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
    " A loaded library has a class of that name, but also its own copy of CoreML; build it "
    + "without one, as Scripts/build_plugin.sh does."

  /// Returns the message with which Apple's framework reports that the class of a custom layer is missing.
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
    // User code may keep an array over this memory after the call. Such an array gets a copy of the elements.
    defer {
      for index in lent.indices where !isKnownUniquelyReferenced(&lent[index]) {
        lent[index].detach()
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
        // The user's `outputShapes` may store sizes in the object for `evaluate`. A run with an existing plan does not
        // call `outputShapes`, so the object's last call of `outputShapes` may have had other input shapes.
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
  /// The parameter in the type that Apple's framework passes. Numbers and flags are `NSNumber`s, and strings are
  /// `String`s.
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
