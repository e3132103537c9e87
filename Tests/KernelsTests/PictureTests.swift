import CKernels
import Foundation
import Testing

struct CopyCase: Sendable {
  let shape: [Int]
  /// The axes in the order in which the destination stores them. The axis with the largest stride is first.
  let order: [Int]
}

extension KernelTests {
  @Test(
    "Copies permute axes and convert between types",
    arguments: [
      CopyCase(shape: [2, 3, 40, 50], order: [0, 2, 3, 1]),
      CopyCase(shape: [2, 40, 50, 3], order: [0, 3, 1, 2]),
      CopyCase(shape: [1, 64, 31, 17], order: [0, 2, 3, 1]),
      CopyCase(shape: [200, 256], order: [1, 0]), CopyCase(shape: [200_000], order: [0]),
      CopyCase(shape: [2, 3, 4, 5, 2, 3, 2, 2], order: [7, 0, 3, 5, 1, 6, 2, 4]),
      CopyCase(shape: [1, 1, 1], order: [2, 1, 0]),
    ])
  func copiesPermute(item: CopyCase) {
    let count = item.shape.reduce(1, *)
    var numbers = Numbers(seed: 11)
    let values = numbers.array(count)
    var sourceStrides = [Int64](repeating: 1, count: item.shape.count)
    for axis in item.shape.indices.dropLast().reversed() {
      sourceStrides[axis] = sourceStrides[axis + 1] * Int64(item.shape[axis + 1])
    }
    var destinationStrides = [Int64](repeating: 1, count: item.shape.count)
    var stride: Int64 = 1
    for axis in item.order.reversed() {
      destinationStrides[axis] = stride
      stride *= Int64(item.shape[axis])
    }
    for from in [CK_F32, CK_BF16, CK_F16] {
      for to in [CK_F32, CK_BF16, CK_F16] {
        let source = Values(from, values)
        let result = Values(to, count: count)
        let status = ck_copy(
          Int32(item.shape.count), item.shape.map(Int64.init), source.pointer, from, sourceStrides,
          result.pointer, to, destinationStrides)
        #expect(status == 0)
        var worst: Double = 0
        for flat in 0..<count {
          var rest = flat
          var offset = 0
          for axis in item.shape.indices.reversed() {
            offset += rest % item.shape[axis] * Int(destinationStrides[axis])
            rest /= item.shape[axis]
          }
          worst = max(worst, abs(Double(source[flat]) - Double(result[offset])))
        }
        #expect(worst <= (from == to ? 0 : tolerance(to)))
      }
    }
  }

  @Test("Doubles and integers convert to floats and back, rounded and clamped")
  func copiesConvertNumbers() {
    let doubles: [Double] = [0.5, 1.5, -2.5, 300, -300, .nan, 3e10, 127.4]
    var bytes = [UInt8](repeating: 7, count: 8)
    var words = [Int32](repeating: 7, count: 8)
    var floats = [Float](repeating: 7, count: 8)
    ck_copy(1, [8], doubles, CK_F64, [1], &bytes, CK_U8, [1])
    ck_copy(1, [8], doubles, CK_F64, [1], &words, CK_S32, [1])
    ck_copy(1, [8], doubles, CK_F64, [1], &floats, CK_F32, [1])
    #expect(bytes == [0, 2, 0, 255, 0, 0, 255, 127])
    #expect(words == [0, 2, -2, 300, -300, 0, .max, 127])
    #expect(floats[6] == 3e10 && floats[5].isNaN)
    ck_copy(1, [4], words, CK_S32, [-1 + 2], &floats, CK_F32, [2])
    #expect(floats[0] == 0 && floats[2] == 2 && floats[6] == 300)
  }

  @Test("float16 survives a round trip through float32 for every pattern", arguments: [0, 1, 2, 3])
  func halvesRoundTrip(level: Int32) {
    ck_limit_instructions(level)
    let patterns: [UInt16] = (0...UInt16.max).filter { $0 & 0x7c00 != 0x7c00 || $0 & 1023 == 0 }
    var floats = [Float](repeating: 0, count: patterns.count)
    var back = [UInt16](repeating: 1, count: patterns.count)
    let count = Int64(patterns.count)
    ck_copy(1, [count], patterns, CK_F16, [1], &floats, CK_F32, [1])
    ck_copy(1, [count], floats, CK_F32, [1], &back, CK_F16, [1])
    #expect(floats == patterns.map(Values.halfToFloat))
    #expect(back == patterns)
    ck_limit_instructions(3)
  }

  @Test(
    "Padding follows its mode",
    arguments: [CK_PAD_CONSTANT, CK_PAD_REFLECTION, CK_PAD_REPLICATION],
    [(1, 3), (2, 1), (1, 16)])
  func padding(mode: ck_padding, shape: (Int, Int)) {
    let (batch, channels) = shape
    let (height, width, top, left, bottom, right) = (5, 6, 2, 4, 3, 5)
    var numbers = Numbers(seed: 2)
    for type in [CK_F32, CK_BF16, CK_F16] {
      let source = Values(type, numbers.array(batch * height * width * channels))
      let rows = height + top + bottom
      let columns = width + left + right
      let result = Values(type, count: batch * rows * columns * channels)
      let status = ck_pad(
        mode, 0.5, type, source.pointer, result.pointer, Int64(batch), Int64(height), Int64(width),
        Int64(channels), Int64(top), Int64(left), Int64(bottom), Int64(right))
      #expect(status == 0)
      func coordinate(_ position: Int, _ size: Int) -> Int? {
        if position >= 0 && position < size { return position }
        if mode == CK_PAD_CONSTANT { return nil }
        if mode == CK_PAD_REPLICATION { return min(max(position, 0), size - 1) }
        return position < 0 ? -position : 2 * size - 2 - position
      }
      var expected: [Double] = []
      for n in 0..<batch {
        for y in 0..<rows {
          for x in 0..<columns {
            for c in 0..<channels {
              if let a = coordinate(y - top, height), let b = coordinate(x - left, width) {
                expected.append(Double(source[((n * height + a) * width + b) * channels + c]))
              } else {
                expected.append(0.5)
              }
            }
          }
        }
      }
      #expect(worstError(result.array, expected) == 0)
    }
    #expect(ck_pad(mode, 0, CK_F32, [0], nil, 1, 1, 1, 1, -1, 0, 0, 0) == -1)
  }

  @Test("Upsampling repeats or interpolates pixels", arguments: [1, 3, 16])
  func upsampling(channels: Int) {
    let (height, width) = (4, 5)
    var numbers = Numbers(seed: 8)
    let source = Values(CK_F32, numbers.array(height * width * channels))
    let nearest = Values(CK_F32, count: height * 3 * width * 2 * channels)
    ck_upsample_nearest(
      CK_F32, source.pointer, nearest.pointer, 1, Int64(height), Int64(width), Int64(channels), 3, 2
    )
    let blended = Values(CK_F32, count: height * 2 * width * 2 * channels)
    ck_resize_bilinear(
      CK_F32, source.pointer, blended.pointer, 1, Int64(height), Int64(width), Int64(channels),
      Int64(height * 2), Int64(width * 2), 0.5, -0.25, 0.5, -0.25)
    func at(_ y: Int, _ x: Int, _ c: Int) -> Double {
      Double(source[(y * width + x) * channels + c])
    }
    var repeated: [Double] = []
    for y in 0..<height * 3 {
      for x in 0..<width * 2 { for c in 0..<channels { repeated.append(at(y / 3, x / 2, c)) } }
    }
    var mixed: [Double] = []
    for y in 0..<height * 2 {
      let v = min(max(Double(y) * 0.5 - 0.25, 0), Double(height - 1))
      for x in 0..<width * 2 {
        let u = min(max(Double(x) * 0.5 - 0.25, 0), Double(width - 1))
        let (y0, x0) = (Int(v), Int(u))
        let (y1, x1) = (min(y0 + 1, height - 1), min(x0 + 1, width - 1))
        let (dy, dx) = (v - Double(y0), u - Double(x0))
        for c in 0..<channels {
          let above = at(y0, x0, c) * (1 - dx) + at(y0, x1, c) * dx
          let below = at(y1, x0, c) * (1 - dx) + at(y1, x1, c) * dx
          mixed.append(above * (1 - dy) + below * dy)
        }
      }
    }
    #expect(worstError(nearest.array, repeated) == 0)
    #expect(worstError(blended.array, mixed) < 1e-6)
  }

  @Test("Pixels survive a round trip through tensors", arguments: [0, 1], [0, 1])
  func pixelsRoundTrip(planar: Int32, blueFirst: Int32) {
    let (height, width, rowBytes) = (7, 19, 19 * 4 + 12)
    var numbers = Numbers(seed: 4)
    let pixels: [UInt8] = (0..<height * rowBytes).map { _ in UInt8(numbers.integer(below: 256)) }
    var description = ck_pixels()
    description.height = Int64(height)
    description.width = Int64(width)
    description.bytes_per_row = Int64(rowBytes)
    description.format = ck_pixel_format(bytes_per_pixel: 4, red: 2, green: 1, blue: 0, alpha: 3)
    description.channels = 3
    description.planar = planar
    description.blue_first = blueFirst
    description.type = CK_F32
    description.scale = (0.5, 1, 2)
    description.bias = (-1, 0, 3)
    let tensor = Values(CK_F32, count: height * width * 3)
    #expect(ck_pixels_to_tensor(&description, pixels, tensor.pointer) == 0)
    for (y, x, c) in [(0, 0, 0), (6, 18, 2), (3, 7, 1), (2, 5, 0)] {
      let byte = pixels[y * rowBytes + x * 4 + (blueFirst == 1 ? c : 2 - c)]
      let wanted = Float(byte) * [0.5, 1, 2][c] + [-1, 0, 3][c]
      let index = planar == 1 ? (c * height + y) * width + x : (y * width + x) * 3 + c
      #expect(tensor[index] == wanted)
    }
    description.scale = (2, 1, 0.5)
    description.bias = (2, 0, -1.5)
    var back = [UInt8](repeating: 9, count: pixels.count)
    #expect(ck_tensor_to_pixels(&description, tensor.pointer, &back) == 0)
    for y in 0..<height {
      for x in 0..<width {
        let at = y * rowBytes + x * 4
        #expect(back[at] == pixels[at] && back[at + 1] == pixels[at + 1])
        #expect(back[at + 2] == pixels[at + 2] && back[at + 3] == 255)
      }
    }
    #expect(back[width * 4] == 9)
  }

  @Test("Bytes are rounded to nearest even and clamped")
  func pixelsRound() {
    let tensor: [Float] = [-3, 0.5, 1.5, 254.5, 255.5, 1e9, .nan, 2.4999]
    var description = ck_pixels()
    description.height = 1
    description.width = 8
    description.bytes_per_row = 8
    description.format = ck_pixel_format(bytes_per_pixel: 1, red: 0, green: 0, blue: 0, alpha: -1)
    description.channels = 1
    description.type = CK_F32
    description.scale = (1, 1, 1)
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(ck_tensor_to_pixels(&description, tensor, &bytes) == 0)
    #expect(bytes == [0, 0, 2, 254, 255, 255, 0, 2])
  }
}
