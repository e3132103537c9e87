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
    let name = String(cString: try nonNull(className, "class_name"))
    let functions = ForeignClass(try nonNull(layer, "layer").pointee)
    guard functions.isComplete else {
      throw CallError("The class '\(name)' lacks one of the functions make, shapes and evaluate.")
    }
    MLCustomLayerRegistry.register({ try ForeignLayer(functions, $0) }, for: name)
  }
}

@c @implementation
public func atelier_plugin_load(
  _ path: UnsafePointer<CChar>?, _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let path = String(cString: try nonNull(path, "path"))
    // Makes the path absolute, because `dlopen` searches the system's folders for a name that contains no slash.
    let file: String = URL(fileURLWithPath: path).path
    guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
      throw CallError(
        "Plug-in '\(path)' cannot be loaded: \(dlerror().map { String(cString: $0) } ?? "no reason is known")."
      )
    }
    guard let symbol = dlsym(library, "atelier_plugin") else {
      dlclose(library)
      throw CallError(
        "Plug-in '\(path)' has no function 'atelier_plugin', which registers its classes. Plug-ins for `atelier --plugin` do not work here."
      )
    }
    typealias Add =
      @convention(c) (
        UnsafePointer<CChar>?, UnsafePointer<atelier_layer_class>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      ) -> atelier_status
    // Safe: the header declares the function's type, and the library stays loaded.
    let start = unsafeBitCast(symbol, to: (@convention(c) (Add) -> Void).self)
    start { atelier_layer_register($0, $1, $2) }
  }
}

/// The C functions of a custom layer's class.
///
/// `@unchecked Sendable`: the addresses do not change, and the header atelier.h requires functions that any thread may
/// call.
private struct ForeignClass: @unchecked Sendable {
  let functions: atelier_layer_class

  init(_ functions: atelier_layer_class) { self.functions = functions }

  var isComplete: Bool {
    functions.make != nil && functions.shapes != nil && functions.evaluate != nil
  }
}

/// A custom layer of the engine that calls the C functions of a class.
private final class ForeignLayer: CustomLayerImplementation {
  private let type: ForeignClass
  private let objects: UserObjectPool<Object>
  private let subject: String

  private var functions: atelier_layer_class { type.functions }

  /// An object that the C function `make` made. One thread at a time uses the object.
  private final class Object {
    let type: ForeignClass
    let pointer: UnsafeMutableRawPointer
    /// The input shapes in the last call of the C function `shapes` for this object.
    var inputShapes: [Shape] = []

    init?(_ type: ForeignClass, _ request: CustomLayerRequest) throws {
      let functions: atelier_layer_class = type.functions
      let parameters: Data = try JSONSerialization.data(
        withJSONObject: request.parameters.mapValues(\.json))
      let weights: [Data] = request.weights.map { Data($0) }
      let made: UnsafeMutableRawPointer? = String(decoding: parameters, as: UTF8.self).withCString {
        parameters in
        let blobs: [atelier_blob] = weights.map { data in
          // Safe: the `defer` below frees the copies after the call of `make`.
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
    let subject = "The custom layer '\(request.layerName)' of class \(request.className)"
    self.type = type
    self.subject = subject
    objects = try UserObjectPool {
      guard let object = try Object(type, request) else {
        throw EngineError(
          .customLayer,
          subject + " could not be created: the class refused its parameters or weights.")
      }
      return object
    }
  }

  /// Calls a closure with the C structures of tensors.
  private func withTensors<Result>(
    _ tensors: [(shape: Shape, data: UnsafeMutablePointer<Float>?)],
    _ body: ([atelier_tensor]) throws -> Result
  ) rethrows -> Result {
    // Safe: the memory of the shapes is valid until the closure returns.
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
      let maximumRank = Int(ATELIER_MAXIMUM_RANK)
      var extents = [Int64](repeating: 0, count: maximumRank)
      var rank: Int64 = -1
      let status: Int32 =
        functions.shapes?(
          object.pointer, inputs, Int64(inputs.count), &extents, &rank, 1, functions.context) ?? 1
      guard status == 0, (0...Int64(maximumRank)).contains(rank) else {
        throw EngineError(
          .customLayer,
          status == 0
            ? subject + " has an output with \(rank) axes, expected 0 to \(maximumRank)."
            : subject + " could not compute its output shapes.")
      }
      return [Shape(extents.prefix(Int(rank)).map { Int(clamping: $0) })]
    }
  }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    try objects.use { object in
      let shapes: [Shape] = inputs.map(\.shape)
      // The C function `shapes` may store sizes in the object for `evaluate`. A run with an existing plan does not call
      // `shapes`, so the last call of `shapes` for this object may have had other input shapes.
      if object.inputShapes != shapes { _ = try outputShapes(of: object, for: shapes) }
      try withTensors(inputs.map { ($0.shape, $0.data) }) { inputs in
        try withTensors(outputs.map { ($0.shape, $0.data) }) { outputs in
          let status: Int32 =
            functions.evaluate?(
              object.pointer, inputs, Int64(inputs.count), outputs, Int64(outputs.count),
              functions.context) ?? 1
          guard status == 0 else { throw EngineError(.customLayer, subject + " failed.") }
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
