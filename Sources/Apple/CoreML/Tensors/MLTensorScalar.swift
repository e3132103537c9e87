import Engine

/// An element type of tensors: `Float`, `Float16`, `Bool`, and integers of 8 to 32 bits.
public protocol MLTensorScalar: Sendable {}

extension Float: MLTensorScalar {}
extension Float16: MLTensorScalar {}
extension Bool: MLTensorScalar {}
extension Int8: MLTensorScalar {}
extension Int16: MLTensorScalar {}
extension Int32: MLTensorScalar {}
extension UInt8: MLTensorScalar {}
extension UInt16: MLTensorScalar {}
extension UInt32: MLTensorScalar {}

extension ElementType {
  /// Makes the engine's element type that corresponds to a Swift type.
  init(_ type: any MLTensorScalar.Type) {
    switch type {
    case is Float.Type: self = .float32
    case is Float16.Type: self = .float16
    case is Bool.Type: self = .bool
    case is Int8.Type: self = .int8
    case is Int16.Type: self = .int16
    case is Int32.Type: self = .int32
    case is UInt8.Type: self = .uint8
    case is UInt16.Type: self = .uint16
    case is UInt32.Type: self = .uint32
    default: preconditionFailure("A tensor cannot have elements of the type \(type).")
    }
  }

  /// The Swift type that corresponds to this element type.
  var scalarType: any MLTensorScalar.Type {
    switch self {
    case .float16: Float16.self
    case .bool: Bool.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    default: Float.self
    }
  }

  /// The type in which graphs store elements of this type. Boolean and float16 elements are stored as float32, which
  /// represents their values exactly and has the fastest kernels. Integers are stored as int32.
  var storageInGraphs: ElementType { isInteger && self != .bool ? .int32 : .float32 }
}
