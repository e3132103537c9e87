import CKernels
import COneDNN
import Foundation
import Testing

/// Runs a primitive once with these arguments and with its own scratch memory.
private func run(
  _ primitive: OpaquePointer, source: Values, weights: UnsafeRawPointer? = nil,
  bias: [Float] = [], operands: [UnsafeRawPointer?] = [], destination: Values
) throws {
  var execution: OpaquePointer?
  try #require(adnn_execution_create(primitive, &execution) == ADNN_OK)
  defer { adnn_execution_destroy(execution) }
  let scratch = Values(CK_F32, count: adnn_primitive_scratchpad_bytes(primitive) / 4 + 16)
  let status = bias.withUnsafeBufferPointer { bias in
    operands.withUnsafeBufferPointer { operands in
      var arguments = adnn_arguments(
        source: source.pointer, weights: weights, bias: bias.baseAddress,
        destination: destination.pointer, operands: operands.baseAddress,
        scratchpad: scratch.pointer)
      return adnn_execution_run(execution, &arguments)
    }
  }
  #expect(status == ADNN_OK, "\(String(cString: adnn_last_error()))")
}

@Suite struct OneDNNTests {
  @Test("A run without its memory returns a status and sets a message")
  func missingMemory() throws {
    var description = adnn_reorder(
      batch: 1, channels: 1, height: 1, width: 8, source_type: ADNN_F32,
      destination_type: ADNN_BF16, source_layout: ADNN_NCHW, destination_layout: ADNN_NCHW)
    var primitive: OpaquePointer?
    try #require(adnn_reorder_create(&description, &primitive) == ADNN_OK)
    defer { adnn_primitive_destroy(primitive) }
    var execution: OpaquePointer?
    try #require(adnn_execution_create(primitive, &execution) == ADNN_OK)
    defer { adnn_execution_destroy(execution) }
    var arguments = adnn_arguments()
    #expect(adnn_execution_run(execution, &arguments) == ADNN_INVALID_ARGUMENT)
    #expect(String(cString: adnn_last_error()) == "run: no source or destination given")
    #expect(adnn_execution_run(nil, nil) == ADNN_INVALID_ARGUMENT)
  }

  @Test("Convolutions in NHWC match plain loops, with post-ops", arguments: [1, 2, 4])
  func convolution(groups: Int) throws {
    let (size, ic, oc, kernel) = (9, 8, 12, 3)
    var numbers = Numbers(seed: 1)
    let source = Values(CK_F32, numbers.array(size * size * ic))
    let weights = numbers.array(oc * ic / groups * kernel * kernel)
    let bias = numbers.array(oc)
    let slopes = numbers.array(oc)
    let before = numbers.array(size * size * oc)
    var sum = adnn_post_op()
    sum.kind = ADNN_SUM
    sum.scale = 2
    var prelu = adnn_post_op()
    prelu.kind = ADNN_PRELU
    var d = adnn_convolution()
    d.batch = 1
    (d.input_channels, d.input_height, d.input_width) = (Int64(ic), Int64(size), Int64(size))
    (d.output_channels, d.output_height, d.output_width) = (Int64(oc), Int64(size), Int64(size))
    (d.kernel_height, d.kernel_width) = (3, 3)
    (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
    (d.pad_top, d.pad_left, d.pad_bottom, d.pad_right) = (1, 1, 1, 1)
    d.groups = Int64(groups)
    d.has_bias = 1
    (d.source_type, d.weights_type, d.destination_type) = (ADNN_F32, ADNN_F32, ADNN_F32)
    (d.source_layout, d.destination_layout) = (ADNN_NHWC, ADNN_NHWC)
    var primitive: OpaquePointer?
    try [sum, prelu].withUnsafeBufferPointer { ops in
      d.post_ops = ops.baseAddress
      d.post_op_count = 2
      try #require(adnn_convolution_create(&d, &primitive) == ADNN_OK)
    }
    let made = try #require(primitive)
    defer { adnn_primitive_destroy(made) }
    let packed = Values(CK_F32, count: adnn_primitive_weights_bytes(made) / 4)
    #expect(adnn_pack_weights(made, weights, packed.pointer) == ADNN_OK)
    let result = Values(CK_F32, before)
    try slopes.withUnsafeBytes { slopes in
      try run(
        made, source: source, weights: packed.pointer, bias: bias,
        operands: [nil, slopes.baseAddress], destination: result)
    }
    var expected: [Double] = []
    for y in 0..<size {
      for x in 0..<size {
        for o in 0..<oc {
          var total = Double(bias[o]) + 2 * Double(before[expected.count])
          let group = o / (oc / groups)
          for i in 0..<ic / groups {
            for ky in 0..<3 {
              for kx in 0..<3 {
                let (iy, ix) = (y + ky - 1, x + kx - 1)
                guard (0..<size).contains(iy), (0..<size).contains(ix) else { continue }
                let value = source[(iy * size + ix) * ic + group * (ic / groups) + i]
                total += Double(value) * Double(weights[((o * ic / groups + i) * 3 + ky) * 3 + kx])
              }
            }
          }
          expected.append(total > 0 ? total : total * Double(slopes[o]))
        }
      }
    }
    #expect(worstError(result.array, expected) < 1e-5)
  }

  @Test("Deconvolution expects weights as input, output, height, width", arguments: [1, 2])
  func deconvolution(groups: Int) throws {
    let (size, ic, oc) = (4, 4, 6)
    let out = (size - 1) * 2 + 3
    var numbers = Numbers(seed: 2)
    let source = Values(CK_F32, numbers.array(size * size * ic))
    let perGroup = oc / groups
    let weights = numbers.array(ic * perGroup * 9)
    var d = adnn_convolution()
    d.batch = 1
    (d.input_channels, d.input_height, d.input_width) = (Int64(ic), Int64(size), Int64(size))
    (d.output_channels, d.output_height, d.output_width) = (Int64(oc), Int64(out), Int64(out))
    (d.kernel_height, d.kernel_width, d.stride_height, d.stride_width) = (3, 3, 2, 2)
    (d.dilation_height, d.dilation_width, d.groups, d.deconvolution) = (1, 1, Int64(groups), 1)
    (d.source_type, d.weights_type, d.destination_type) = (ADNN_F32, ADNN_F32, ADNN_F32)
    (d.source_layout, d.destination_layout) = (ADNN_NHWC, ADNN_NHWC)
    var primitive: OpaquePointer?
    try #require(adnn_convolution_create(&d, &primitive) == ADNN_OK)
    let made = try #require(primitive)
    defer { adnn_primitive_destroy(made) }
    let packed = Values(CK_F32, count: adnn_primitive_weights_bytes(made) / 4)
    #expect(adnn_pack_weights(made, weights, packed.pointer) == ADNN_OK)
    let result = Values(CK_F32, count: out * out * oc)
    try run(made, source: source, weights: packed.pointer, destination: result)
    var expected = [Double](repeating: 0, count: out * out * oc)
    for i in 0..<ic {
      for o in 0..<perGroup {
        let channel: Int = i / (ic / groups) * perGroup + o
        for tap in 0..<size * size * 9 {
          let (y, x, ky, kx) = (tap / 36, tap / 9 % 4, tap / 3 % 3, tap % 3)
          let value = Double(source[(y * size + x) * ic + i])
          let weight = Double(weights[(i * perGroup + o) * 9 + tap % 9])
          let row: Int = 2 * y + ky
          let column: Int = 2 * x + kx
          expected[(row * out + column) * oc + channel] += value * weight
        }
      }
    }
    #expect(worstError(result.array, expected) < 1e-5)
  }

  @Test(
    "Matrix products match their definition: batched, transposed, packed or not",
    arguments: [1, 3], [0, 1, 2, 3])
  func matmul(batch: Int, options: Int32) throws {
    let transposed: Int32 = options & 1
    let constant: Int32 = options >> 1
    let (rows, inner, columns) = (5, 7, 6)
    var numbers = Numbers(seed: 3)
    let source = Values(CK_F32, numbers.array(batch * rows * inner))
    let matrices = constant == 1 ? 1 : batch
    let weights = numbers.array(matrices * inner * columns)
    let bias = numbers.array(columns)
    var d = adnn_matmul()
    (d.batch, d.rows, d.inner, d.columns) = (Int64(batch), 5, 7, 6)
    d.transpose_weights = transposed
    d.weights_are_constant = constant
    d.has_bias = 1
    (d.source_type, d.weights_type, d.destination_type) = (ADNN_F32, ADNN_F32, ADNN_F32)
    var primitive: OpaquePointer?
    try #require(adnn_matmul_create(&d, &primitive) == ADNN_OK)
    let made = try #require(primitive)
    defer { adnn_primitive_destroy(made) }
    let result = Values(CK_F32, count: batch * rows * columns)
    if constant == 1 {
      let packed = Values(CK_F32, count: adnn_primitive_weights_bytes(made) / 4)
      #expect(adnn_pack_weights(made, weights, packed.pointer) == ADNN_OK)
      try run(made, source: source, weights: packed.pointer, bias: bias, destination: result)
    } else {
      let raw = Values(CK_F32, weights)
      try run(made, source: source, weights: raw.pointer, bias: bias, destination: result)
    }
    var expected: [Double] = []
    for b in 0..<batch {
      for r in 0..<rows {
        for c in 0..<columns {
          var total = Double(bias[c])
          for k in 0..<inner {
            let at = (constant == 1 ? 0 : b) * inner * columns
            let index = transposed == 1 ? c * inner + k : k * columns + c
            total += Double(source[(b * rows + r) * inner + k]) * Double(weights[at + index])
          }
          expected.append(total)
        }
      }
    }
    #expect(worstError(result.array, expected) < 1e-5)
  }

  @Test("Pooling and reorder match their definitions")
  func smallPrimitives() throws {
    let source = Values(CK_F32, [1, 2, 3, 4, 5, 6, 7, 8])
    var primitive: OpaquePointer?
    var pooling = adnn_pooling()
    pooling.kind = ADNN_POOLING_AVERAGE_EXCLUDE_PADDING
    (pooling.batch, pooling.channels, pooling.input_height, pooling.input_width) = (1, 2, 2, 2)
    (pooling.output_height, pooling.output_width) = (1, 1)
    (pooling.kernel_height, pooling.kernel_width, pooling.stride_height) = (3, 3, 1)
    (pooling.stride_width, pooling.pad_top, pooling.pad_left) = (1, 1, 1)
    (pooling.type, pooling.layout) = (ADNN_F32, ADNN_NHWC)
    try #require(adnn_pooling_create(&pooling, &primitive) == ADNN_OK)
    let pooled = Values(CK_F32, count: 2)
    try run(try #require(primitive), source: source, destination: pooled)
    adnn_primitive_destroy(primitive)
    #expect(pooled.array == [4, 5])

    var reorder = adnn_reorder()
    (reorder.batch, reorder.channels, reorder.height, reorder.width) = (1, 2, 2, 2)
    (reorder.source_type, reorder.destination_type) = (ADNN_F32, ADNN_BF16)
    (reorder.source_layout, reorder.destination_layout) = (ADNN_NHWC, ADNN_NCHW)
    try #require(adnn_reorder_create(&reorder, &primitive) == ADNN_OK)
    let moved = Values(CK_BF16, count: 8)
    try run(try #require(primitive), source: source, destination: moved)
    adnn_primitive_destroy(primitive)
    #expect(moved.array == [1, 3, 5, 7, 2, 4, 6, 8])
  }

  @Test("An invalid description sets a message instead of crashing")
  func errors() {
    var d = adnn_convolution()
    var primitive: OpaquePointer?
    #expect(adnn_convolution_create(&d, &primitive) == ADNN_INVALID_ARGUMENT)
    #expect(String(cString: adnn_last_error()).contains("groups and kernel"))
    #expect(primitive == nil)
  }

  @Test("A size beyond oneDNN's integers is unimplemented, not truncated")
  func sizesBeyond32Bits() {
    var reorder = adnn_reorder(
      batch: 1, channels: 1, height: 1, width: 1 << 32 + 8, source_type: ADNN_F32,
      destination_type: ADNN_BF16, source_layout: ADNN_NCHW, destination_layout: ADNN_NCHW)
    var primitive: OpaquePointer?
    #expect(adnn_reorder_create(&reorder, &primitive) == ADNN_UNIMPLEMENTED)
    #expect(String(cString: adnn_last_error()) == "reorder: oneDNN counts sizes in 32 bits")
    #expect(primitive == nil)
  }
}
