import CAtelierHeader
import CoreML
import Foundation

/// Returns an array over the caller's memory, or over a copy of the elements if a multi-array cannot have the caller's
/// strides or address.
func array(of feature: atelier_feature, _ name: String) throws -> MLMultiArray {
  guard let type = MLMultiArrayDataType(rawValue: Int(feature.type)) else {
    throw CallError(
      "The elements of the array \"\(name)\" have the type \(feature.type), expected one of "
        + "ATELIER_FLOAT16, _FLOAT32, _FLOAT64, _INT32 and _INT8.")
  }
  let rank: Int = try length(feature.count, "The number of axes of \"\(name)\"")
  let size: Int = type.byteCount
  var shape: [Int] = []
  var strides: [Int] = []
  for axis in 0..<rank {
    let lengths = try nonNull(feature.shape, "The shape of \"\(name)\"")
    shape.append(try length(lengths[axis], "A length of \"\(name)\""))
  }
  if let stated = feature.strides {
    strides = (0..<rank).map { Int(stated[$0]) }
  } else {
    var step: Int = size
    for axis in (0..<rank).reversed() {
      strides.insert(step, at: 0)
      step = step.multipliedReportingOverflow(by: max(1, shape[axis])).partialValue
    }
  }
  let isEmpty: Bool = shape.contains(0)
  // The caller may pass NULL for an empty array, but a multi-array needs an address.
  let start = UnsafeMutableRawPointer(
    mutating: isEmpty
      ? feature.data ?? UnsafeRawPointer(bitPattern: 64)
      : try nonNull(feature.data, "The data of \"\(name)\""))
  guard let start else { throw CallError("The data of \"\(name)\" is NULL.") }
  let isDirect: Bool =
    strides.allSatisfy { $0 >= 0 && $0 % size == 0 } && Int(bitPattern: start) % size == 0
  let numbers: [NSNumber] = shape.map { NSNumber(value: $0) }
  if isDirect {
    // Safe: the caller promises that the elements are valid during the call, and the framework only reads inputs.
    return try MLMultiArray(
      dataPointer: start, shape: numbers, dataType: type,
      strides: strides.map { NSNumber(value: $0 / size) })
  }
  let copy = try MLMultiArray(shape: numbers, dataType: type)
  if !isEmpty { gather(from: start, shape, strides, size, into: copy.dataPointer) }
  return copy
}

/// Copies elements of `size` bytes from an array with any strides to `target`, in row-major order. The strides are in
/// bytes.
private func gather(
  from start: UnsafeMutableRawPointer, _ shape: [Int], _ strides: [Int], _ size: Int,
  into target: UnsafeMutableRawPointer
) {
  // Safe: the offsets stay within the array that `shape` and `strides` describe, and `target` has as many elements as
  // that array.
  var index: [Int] = shape.map { _ in 0 }
  var offset: Int = 0
  var written: Int = 0
  while true {
    memcpy(target + written, start + offset, size)
    written += size
    var axis: Int = shape.count - 1
    while axis >= 0 {
      index[axis] += 1
      offset += strides[axis]
      if index[axis] < shape[axis] { break }
      offset -= strides[axis] * shape[axis]
      index[axis] = 0
      axis -= 1
    }
    if axis < 0 { return }
  }
}

extension MLMultiArray {
  /// Returns an array with the same elements, in memory of its own.
  func duplicate() throws -> MLMultiArray {
    let copy = try MLMultiArray(shape: shape, dataType: dataType)
    transfer(to: copy)
    return copy
  }
}
