/// Numbers of elements.
public typealias vDSP_Length = UInt
/// Steps from one element to the next.
public typealias vDSP_Stride = Int

// Of Apple's library, what custom layers of neural networks are written with. Each works on vectors whose
// elements are a stride apart; the result may lie in the place of an argument.

/// Adds a number: `C = A + b`.
public func vDSP_vsadd(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ c: UnsafeMutablePointer<Float>, _ cStride: vDSP_Stride, _ count: vDSP_Length
) {
  // Safe: the caller promises that the vectors have so many elements, here and below.
  let number: Float = b.pointee
  for index in 0..<Int(count) { c[index * cStride] = a[index * aStride] + number }
}

/// Multiplies by a number: `C = A · b`.
public func vDSP_vsmul(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ c: UnsafeMutablePointer<Float>, _ cStride: vDSP_Stride, _ count: vDSP_Length
) {
  let factor: Float = b.pointee
  for index in 0..<Int(count) { c[index * cStride] = a[index * aStride] * factor }
}

/// Multiplies by a number and adds another: `D = A · b + c`.
public func vDSP_vsmsa(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ c: UnsafePointer<Float>, _ d: UnsafeMutablePointer<Float>, _ dStride: vDSP_Stride,
  _ count: vDSP_Length
) {
  let (factor, number): (Float, Float) = (b.pointee, c.pointee)
  for index in 0..<Int(count) { d[index * dStride] = a[index * aStride] * factor + number }
}

/// Adds two vectors: `C = A + B`.
public func vDSP_vadd(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ bStride: vDSP_Stride, _ c: UnsafeMutablePointer<Float>, _ cStride: vDSP_Stride,
  _ count: vDSP_Length
) {
  for index in 0..<Int(count) { c[index * cStride] = a[index * aStride] + b[index * bStride] }
}

/// Multiplies two vectors: `C = A · B`.
public func vDSP_vmul(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ bStride: vDSP_Stride, _ c: UnsafeMutablePointer<Float>, _ cStride: vDSP_Stride,
  _ count: vDSP_Length
) {
  for index in 0..<Int(count) { c[index * cStride] = a[index * aStride] * b[index * bStride] }
}

/// The numbers within bounds: `D = min(max(A, b), c)`.
public func vDSP_vclip(
  _ a: UnsafePointer<Float>, _ aStride: vDSP_Stride, _ b: UnsafePointer<Float>,
  _ c: UnsafePointer<Float>, _ d: UnsafeMutablePointer<Float>, _ dStride: vDSP_Stride,
  _ count: vDSP_Length
) {
  let (least, most): (Float, Float) = (b.pointee, c.pointee)
  for index in 0..<Int(count) { d[index * dStride] = min(max(a[index * aStride], least), most) }
}
