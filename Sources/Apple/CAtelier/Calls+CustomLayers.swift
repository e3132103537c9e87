import CAtelierHeader
import CoreML
import Engine
import Foundation
import Graph

@c @implementation
public func atelier_layer_register(
  _ className: UnsafePointer<CChar>?, _ layer: UnsafePointer<atelier_layer_class>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let name = String(cString: try given(className, "class_name"))
    let functions = ForeignClass(try given(layer, "layer").pointee)
    guard functions.isComplete else {
      throw CallError("The class '\(name)' lacks one of its functions make, shapes and evaluate.")
    }
    MLCustomLayerRegistry.register({ try ForeignLayer(functions, $0) }, for: name)
  }
}

@c @implementation
public func atelier_plugin_load(
  _ path: UnsafePointer<CChar>?, _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let path = String(cString: try given(path, "path"))
    // A name without a slash would be searched for in the system's folders.
    let file: String = URL(fileURLWithPath: path).path
    guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
      throw CallError(
        "Plug-in '\(path)' cannot be loaded: \(dlerror().map { String(cString: $0) } ?? "no reason is known")."
      )
    }
    guard let symbol = dlsym(library, "atelier_plugin") else {
      dlclose(library)
      throw CallError(
        "Plug-in '\(path)' has no function 'atelier_plugin', which registers its classes; libraries for `atelier --plugin` are others."
      )
    }
    typealias Add =
      @convention(c) (
        UnsafePointer<CChar>?, UnsafePointer<atelier_layer_class>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      ) -> atelier_status
    // Safe: the header states the function's type; the library stays loaded.
    let start = unsafeBitCast(symbol, to: (@convention(c) (Add) -> Void).self)
    start { atelier_layer_register($0, $1, $2) }
  }
}

/// The functions of a class in C.
///
/// `@unchecked Sendable`: addresses that do not change; the header asks the functions to stand calls from any
/// thread.
private struct ForeignClass: @unchecked Sendable {
  let functions: atelier_layer_class

  init(_ functions: atelier_layer_class) { self.functions = functions }

  var isComplete: Bool {
    functions.make != nil && functions.shapes != nil && functions.evaluate != nil
  }
}

/// A layer of a class in C, as the engine sees it.
private final class ForeignLayer: CustomLayerImplementation {
  private let type: ForeignClass
  private let objects: UserObjectPool<Object>
  private let words: String

  private var functions: atelier_layer_class { type.functions }

  /// An object of the class, for one thread at a time.
  private final class Object {
    let type: ForeignClass
    let pointer: UnsafeMutableRawPointer
    /// The shapes of the inputs that it was asked about last.
    var inputShapes: [Shape] = []

    init?(_ type: ForeignClass, _ request: CustomLayerRequest) throws {
      let functions: atelier_layer_class = type.functions
      let parameters: Data = try JSONSerialization.data(
        withJSONObject: request.parameters.mapValues(\.json))
      let held: [Data] = request.weights.map { Data($0) }
      let made: UnsafeMutableRawPointer? = String(decoding: parameters, as: UTF8.self).withCString {
        parameters in
        let blobs: [atelier_blob] = held.map { data in
          // Safe: the copies are freed below, after the call.
          let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, data.count))
          data.copyBytes(to: copy, count: data.count)
          return atelier_blob(name: nil, bytes: copy, count: Int64(data.count))
        }
        defer { for blob in blobs { blob.bytes?.deallocate() } }
        return functions.make?(
          request.layerName, parameters, blobs, Int64(blobs.count), functions.context)
      }
      guard let made else { return nil }
      self.type = type
      pointer = made
    }

    deinit { type.functions.release?(pointer, type.functions.context) }
  }

  init(_ type: ForeignClass, _ request: CustomLayerRequest) throws {
    let words = "The custom layer '\(request.layerName)' of class \(request.className)"
    self.type = type
    self.words = words
    objects = try UserObjectPool {
      guard let object = try Object(type, request) else {
        throw EngineError(
          .customLayer, words + " could not be made: the class refused its parameters or weights.")
      }
      return object
    }
  }

  /// Calls a closure with tensors as C has them.
  private func withTensors<Result>(
    _ tensors: [(shape: Shape, data: UnsafeMutablePointer<Float>?)],
    _ body: ([atelier_tensor]) throws -> Result
  ) rethrows -> Result {
    // Safe: the shapes live until the end of the call.
    let shapes: [UnsafeMutablePointer<Int64>] = tensors.map { tensor in
      let memory = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, tensor.shape.rank))
      for axis in 0..<tensor.shape.rank { memory[axis] = Int64(tensor.shape[axis]) }
      return memory
    }
    defer { for memory in shapes { memory.deallocate() } }
    return try body(
      zip(tensors, shapes).map {
        atelier_tensor(data: $0.data, shape: $1, rank: Int64($0.shape.rank))
      })
  }

  func outputShapes(for inputs: [Shape]) throws -> [Shape] {
    try objects.use { try outputShapes(of: $0, for: inputs) }
  }

  private func outputShapes(of object: Object, for inputs: [Shape]) throws -> [Shape] {
    object.inputShapes = inputs
    return try withTensors(inputs.map { ($0, nil) }) { inputs in
      let most = Int(ATELIER_MAXIMUM_RANK)
      var extents = [Int64](repeating: 0, count: most)
      var rank: Int64 = -1
      let status: Int32 =
        functions.shapes?(
          object.pointer, inputs, Int64(inputs.count), &extents, &rank, 1, functions.context) ?? 1
      guard status == 0, (0...Int64(most)).contains(rank) else {
        throw EngineError(
          .customLayer,
          status == 0
            ? words + " gives \(rank) axes, expected 0 to \(most)."
            : words + " could not say what it makes.")
      }
      return [Shape(extents.prefix(Int(rank)).map { Int(clamping: $0) })]
    }
  }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    try objects.use { object in
      let shapes: [Shape] = inputs.map(\.shape)
      // Classes remember sizes; a plan that was made before asks no more.
      if object.inputShapes != shapes { _ = try outputShapes(of: object, for: shapes) }
      try withTensors(inputs.map { ($0.shape, $0.data) }) { inputs in
        try withTensors(outputs.map { ($0.shape, $0.data) }) { outputs in
          let status: Int32 =
            functions.evaluate?(
              object.pointer, inputs, Int64(inputs.count), outputs, Int64(outputs.count),
              functions.context) ?? 1
          guard status == 0 else { throw EngineError(.customLayer, words + " failed.") }
        }
      }
    }
  }
}

extension CustomLayerParameter {
  fileprivate var json: Any {
    switch self {
    case .double(let value): value
    case .string(let value): value
    case .integer(let value): Int(value)
    case .long(let value): value
    case .bool(let value): value
    }
  }
}
