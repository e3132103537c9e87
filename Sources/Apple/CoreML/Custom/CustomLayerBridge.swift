import Engine
import Foundation

/// A user's ``MLCustomLayer`` as the engine sees it.
///
/// `@unchecked Sendable`: the user's object is touched under the lock only. Apple's framework never
/// calls one layer object from two threads at once either, so user code may keep scratch memory.
final class CustomLayerBridge: CustomLayerImplementation, @unchecked Sendable {
  private let layer: any MLCustomLayer
  private let layerName: String
  private let className: String
  private let turn = NSLock()

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
    do {
      layer = try type.init(parameters: request.parameters.mapValues(\.object))
      try layer.setWeightData(request.weights.map { Data($0) })
    } catch {
      throw EngineError(
        .customLayer,
        CustomLayerBridge.missing(request.className)
          + " The class refused the model's parameters or weights: \(error.localizedDescription)")
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
    let shapes: [[NSNumber]] = inputs.map { shape in
      shape.dimensions.map { NSNumber(value: $0) }
    }
    let result: [[NSNumber]] = try calling {
      try layer.outputShapes(forInputShapes: shapes)
    }
    return result.map { numbers in Shape(numbers.map { $0.intValue }) }
  }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    let inputArrays: [MLMultiArray] = inputs.map(CustomLayerBridge.view)
    let outputArrays: [MLMultiArray] = outputs.map(CustomLayerBridge.view)
    try calling {
      try layer.evaluate(inputs: inputArrays, outputs: outputArrays)
    }
  }

  private func calling<R>(_ body: () throws -> R) throws -> R {
    turn.lock()
    defer { turn.unlock() }
    do {
      return try body()
    } catch {
      throw EngineError(
        .customLayer,
        "The custom layer \"\(layerName)\" of class \(className) failed: "
          + "\(error.localizedDescription)")
    }
  }

  /// An array over the engine's memory, valid during the call only.
  private static func view(_ tensor: CustomLayerTensor) -> MLMultiArray {
    let layout = ArrayLayout(shape: tensor.shape.dimensions)
    let memory = ArrayMemory(
      start: UnsafeMutableRawPointer(tensor.data), byteCount: layout.count * 4, release: nil)
    return MLMultiArray(memory: memory, layout: layout, dataType: .float32)
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
