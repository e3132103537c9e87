import Accelerate
import Foundation
import Testing

@Suite struct ImageGeometryTests {
  private func floats(_ size: [Int], _ channels: Int = 1) -> TestImage<Float> {
    TestImage(size[0], size[1], channels) { x, y, c in
      Float(sin(Double(x) * 0.7 + Double(c)) + cos(Double(y) * 0.4))
    }
  }

  /// Lanczos' scaling of one row or column, with the outermost values beyond the ends.
  private func scaled(_ values: [Double], to count: Int, lobes: Double) -> [Double] {
    let scale = Double(values.count) / Double(count)
    let stretch = max(scale, 1)
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
    return (0..<count).map { position in
      let center = (Double(position) + 0.5) * scale - 0.5
      var (sum, total) = (0.0, 0.0)
      for index in -200..<values.count + 200 {
        let x = (Double(index) - center) / stretch
        guard abs(x) < lobes else { continue }
        let weight = sinc(x) * sinc(x / lobes)
        sum += weight * values[min(max(index, 0), values.count - 1)]
        total += weight
      }
      return sum / total
    }
  }

  @Test(
    "Scaling is Lanczos' in both directions",
    arguments: [[17, 9, 17, 9], [17, 9, 8, 5], [5, 7, 31, 20], [1, 1, 3, 2], [40, 3, 3, 40]],
    [kvImageNoFlags, kvImageHighQualityResampling])
  func scales(sizes: [Int], flag: Int) {
    let lobes = flag == kvImageHighQualityResampling ? 5.0 : 3.0
    for channels in [1, 4] {
      let source = floats(Array(sizes[..<2]), channels)
      let result = floats(Array(sizes[2...]), channels)
      let function = channels == 1 ? vImageScale_PlanarF : vImageScale_ARGBFFFF
      #expect(function(&source.buffer, &result.buffer, nil, vImage_Flags(flag)) == 0)
      for c in 0..<channels {
        let rows = (0..<sizes[1]).map { y in
          scaled((0..<sizes[0]).map { Double(source[$0, y, c]) }, to: sizes[2], lobes: lobes)
        }
        for x in 0..<sizes[2] {
          let column = scaled(rows.map { $0[x] }, to: sizes[3], lobes: lobes)
          for y in 0..<sizes[3] { #expect(abs(Double(result[x, y, c]) - column[y]) < 1e-5) }
        }
      }
    }
  }

  @Test("Scaled bytes are those of floats, rounded and clipped")
  func scalesBytes() {
    for channels in [1, 4] {
      let bytes = TestImage<UInt8>(17, 11, channels) { x, y, c in (x + y + c) % 3 == 0 ? 255 : 0 }
      let shorts = TestImage<UInt16>(17, 11, channels) { x, y, c in UInt16(bytes[x, y, c]) * 257 }
      let floats = TestImage<Float>(17, 11, channels) { x, y, c in Float(bytes[x, y, c]) }
      let small = TestImage<UInt8>(23, 6, channels) { _, _, _ in 1 }
      let smallShorts = TestImage<UInt16>(23, 6, channels) { _, _, _ in 1 }
      let exact = TestImage<Float>(23, 6, channels) { _, _, _ in 1 }
      if channels == 1 {
        #expect(vImageScale_Planar8(&bytes.buffer, &small.buffer, nil, 0) == 0)
        #expect(vImageScale_Planar16U(&shorts.buffer, &smallShorts.buffer, nil, 0) == 0)
        #expect(vImageScale_PlanarF(&floats.buffer, &exact.buffer, nil, 0) == 0)
      } else {
        #expect(vImageScale_ARGB8888(&bytes.buffer, &small.buffer, nil, 0) == 0)
        #expect(vImageScale_ARGB16U(&shorts.buffer, &smallShorts.buffer, nil, 0) == 0)
        #expect(vImageScale_ARGBFFFF(&floats.buffer, &exact.buffer, nil, 0) == 0)
      }
      #expect(small.equals { x, y, c in UInt8(min(max(exact[x, y, c], 0), 255) + 0.5) })
      #expect(
        smallShorts.equals { x, y, c in
          let expected = min(max(exact[x, y, c] * 257, 0), 65_535)
          return abs(Float(smallShorts[x, y, c]) - expected) <= 1 ? smallShorts[x, y, c] : 0
        })
    }
  }

  private func checkTurns<T: Equatable & BitwiseCopyable>(
    _ size: [Int], _ channels: Int, _ value: @escaping (Int) -> T, _ background: T,
    _ vertical: (UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>, vImage_Flags) -> Int,
    _ horizontal: (UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>, vImage_Flags) -> Int,
    _ rotate: (UnsafePointer<vImage_Buffer>, UnsafePointer<vImage_Buffer>, UInt8) -> Int
  ) {
    let (w, h) = (size[0], size[1])
    func make(_ w: Int, _ h: Int) -> TestImage<T> {
      TestImage(w, h, channels) { x, y, c in value(x * 5 + y * 31 + c * 3) }
    }
    let (source, result, own) = (make(w, h), make(w, h), make(w, h))
    #expect(vertical(&source.buffer, &result.buffer, 0) == 0)
    #expect(result.equals { x, y, c in source[x, h - 1 - y, c] })
    #expect(vertical(&own.buffer, &own.buffer, 0) == 0)
    #expect(own.equals { x, y, c in source[x, h - 1 - y, c] })
    #expect(horizontal(&source.buffer, &result.buffer, 0) == 0)
    #expect(result.equals { x, y, c in source[w - 1 - x, y, c] })
    #expect(horizontal(&own.buffer, &own.buffer, 0) == 0)
    #expect(own.equals { x, y, c in source[w - 1 - x, h - 1 - y, c] })
    for quarters in 0..<4 {
      let turned = quarters % 2 == 0 ? make(w, h) : make(h, w)
      #expect(rotate(&source.buffer, &turned.buffer, UInt8(quarters)) == 0)
      // A quarter counter-clockwise moves (x, y) to (y, w - 1 - x).
      #expect(
        turned.equals { x, y, c in
          switch quarters {
          case 0: source[x, y, c]
          case 1: source[w - 1 - y, x, c]
          case 2: source[w - 1 - x, h - 1 - y, c]
          default: source[y, h - 1 - x, c]
          }
        }, "\(quarters) quarters")
    }
    // A source larger than the result gives its middle.
    let small = make(h, 1)
    #expect(rotate(&source.buffer, &small.buffer, 1) == 0)
    #expect(small.equals { x, _, c in source[w - 1 - (w - 1) / 2, x, c] })
    let wide = make(w + 2, h + 4)
    #expect(rotate(&source.buffer, &wide.buffer, 0) == 0)
    #expect(
      wide.equals { x, y, c in
        x >= 1 && x <= w && y >= 2 && y < h + 2 ? source[x - 1, y - 2, c] : background
      })
  }

  @Test(
    "Pictures are reflected and turned by quarters", arguments: [[1, 1], [17, 5], [150, 67]])
  func turns(size: [Int]) {
    checkTurns(
      size, 1, { UInt8(truncatingIfNeeded: $0) }, 7, vImageVerticalReflect_Planar8,
      vImageHorizontalReflect_Planar8, { vImageRotate90_Planar8($0, $1, $2, 7, 0) })
    checkTurns(
      size, 1, { UInt16($0) }, 7, vImageVerticalReflect_Planar16U,
      vImageHorizontalReflect_Planar16U,
      { vImageRotate90_Planar16U($0, $1, $2, 7, 0) })
    checkTurns(
      size, 1, { Float($0) }, 7, vImageVerticalReflect_PlanarF, vImageHorizontalReflect_PlanarF,
      { vImageRotate90_PlanarF($0, $1, $2, 7, 0) })
    checkTurns(
      size, 4, { UInt8(truncatingIfNeeded: $0) }, 7, vImageVerticalReflect_ARGB8888,
      vImageHorizontalReflect_ARGB8888, { vImageRotate90_ARGB8888($0, $1, $2, [7, 7, 7, 7], 0) })
    checkTurns(
      size, 4, { UInt16($0) }, 7, vImageVerticalReflect_ARGB16U, vImageHorizontalReflect_ARGB16U,
      { vImageRotate90_ARGB16U($0, $1, $2, [7, 7, 7, 7], 0) })
    checkTurns(
      size, 4, { Float($0) }, 7, vImageVerticalReflect_ARGBFFFF, vImageHorizontalReflect_ARGBFFFF,
      { vImageRotate90_ARGBFFFF($0, $1, $2, [7, 7, 7, 7], 0) })
  }
}
