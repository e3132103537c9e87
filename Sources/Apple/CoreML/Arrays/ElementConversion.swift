import CKernels
import Foundation

/// Copies elements from one layout to another layout of the same shape, and converts the elements' type. Conversion to
/// an integer type truncates towards zero and clamps to the type's range.
///
/// Safe: `source` has memory for `sourceLayout.span` elements of `sourceType`, and `target` for `targetLayout.span`
/// elements of `targetType`.
func convertElements(
  from source: UnsafeMutableRawPointer, _ sourceType: MLMultiArrayDataType,
  _ sourceLayout: ArrayLayout, to target: UnsafeMutableRawPointer,
  _ targetType: MLMultiArrayDataType, _ targetLayout: ArrayLayout
) {
  if sourceType == targetType && sourceLayout.isContiguous && targetLayout.isContiguous {
    memmove(target, source, sourceLayout.count * sourceType.byteCount)
    return
  }
  if sourceLayout.isContiguous, targetLayout.isContiguous,
    let from = sourceType.kernelType, let to = targetType.kernelType
  {
    // Swift calls a library function for each float16.
    let (count, step) = ([Int64(sourceLayout.count)], [Int64(1)])
    if ck_copy(1, count, source, from, step, target, to, step) == 0 { return }
  }
  switch sourceType {
  case .double:
    convert(source, Double.self, sourceLayout, target, targetType, targetLayout)
  case .float32:
    convert(source, Float.self, sourceLayout, target, targetType, targetLayout)
  case .float16:
    convert(source, Float16.self, sourceLayout, target, targetType, targetLayout)
  case .int32:
    convert(source, Int32.self, sourceLayout, target, targetType, targetLayout)
  case .int8:
    convert(source, Int8.self, sourceLayout, target, targetType, targetLayout)
  }
}

private func convert<Source: MLShapedArrayScalar>(
  _ source: UnsafeMutableRawPointer, _ type: Source.Type, _ sourceLayout: ArrayLayout,
  _ target: UnsafeMutableRawPointer, _ targetType: MLMultiArrayDataType, _ targetLayout: ArrayLayout
) {
  let from: UnsafeMutablePointer<Source> = source.assumingMemoryBound(to: Source.self)
  switch targetType {
  case .double: convert(from, sourceLayout, target, Double.self, targetLayout)
  case .float32: convert(from, sourceLayout, target, Float.self, targetLayout)
  case .float16: convert(from, sourceLayout, target, Float16.self, targetLayout)
  case .int32: convert(from, sourceLayout, target, Int32.self, targetLayout)
  case .int8: convert(from, sourceLayout, target, Int8.self, targetLayout)
  }
}

private func convert<Source: MLShapedArrayScalar, Target: MLShapedArrayScalar>(
  _ from: UnsafeMutablePointer<Source>, _ sourceLayout: ArrayLayout,
  _ target: UnsafeMutableRawPointer, _ type: Target.Type, _ targetLayout: ArrayLayout
) {
  let to: UnsafeMutablePointer<Target> = target.assumingMemoryBound(to: Target.self)
  if sourceLayout.isContiguous {
    var index: Int = 0
    targetLayout.forEachOffset { offset in
      (to + offset).initialize(to: Target._converted(from: from[index]))
      index += 1
    }
  } else if targetLayout.isContiguous {
    var index: Int = 0
    sourceLayout.forEachOffset { offset in
      (to + index).initialize(to: Target._converted(from: from[offset]))
      index += 1
    }
  } else {
    for index in 0..<sourceLayout.count {
      let value: Source = from[sourceLayout.offset(ofLinearIndex: index)]
      (to + targetLayout.offset(ofLinearIndex: index))
        .initialize(to: Target._converted(from: value))
    }
  }
}

extension MLMultiArrayDataType {
  /// The kernels' constant for float16 and float32; nil for other types.
  fileprivate var kernelType: ck_type? {
    switch self {
    case .float16: CK_F16
    case .float32: CK_F32
    default: nil
    }
  }
}
