// Conversions between the formats of `vImage.PixelBuffer`.

/// Calls a function of vImage. The sizes were checked, so that only a lack of memory makes it fail.
private func call(_ function: () -> vImage_Error) {
  let error: vImage_Error = function()
  precondition(error == kvImageNoError, "vImage's conversion failed with the error \(error).")
}

extension vImage.PixelBuffer where Format: StaticPixelFormat, Format.ComponentType == Float {
  /// Converts 0…1 to 0…255, rounded and clipped.
  private func convertToBytes(_ planes: [vImage_Buffer]) {
    for (from, to) in zip(flatPlanes, planes) {
      call {
        withUnsafePointer(to: from) { from in
          withUnsafePointer(to: to) { to in
            vImageConvert_PlanarFtoPlanar8(from, to, 1, 0, vImage_Flags(kvImageNoFlags))
          }
        }
      }
    }
  }

  /// Computes `(x + preBias) · factor + postBias` for each component. The destination may be the buffer itself.
  public func multiply(
    by factor: Float, preBias: Float = 0, postBias: Float = 0,
    destination: vImage.PixelBuffer<Format>
  ) {
    requireSameSize(destination.size)
    for (from, to) in zip(flatPlanes, destination.flatPlanes) {
      for row in 0..<height {
        var (scale, shift) = (factor, preBias * factor + postBias)
        // Safe: each row has `width` numbers.
        vDSP_vsmsa(
          (from.data + row * from.rowBytes).assumingMemoryBound(to: Float.self), 1, &scale, &shift,
          (to.data + row * to.rowBytes).assumingMemoryBound(to: Float.self), 1, UInt(from.width))
      }
    }
  }
}

extension vImage.PixelBuffer where Format: StaticPixelFormat, Format.ComponentType == UInt8 {
  /// Converts 0…255 to 0…1.
  private func convertToFloats(_ planes: [vImage_Buffer]) {
    for (from, to) in zip(flatPlanes, planes) {
      call {
        withUnsafePointer(to: from) { from in
          withUnsafePointer(to: to) { to in
            vImageConvert_Planar8toPlanarF(from, to, 1, 0, vImage_Flags(kvImageNoFlags))
          }
        }
      }
    }
  }
}

extension vImage.PixelBuffer<vImage.PlanarF> {
  /// Converts 0…1 to 0…255.
  public func convert(to destination: vImage.PixelBuffer<vImage.Planar8>) {
    requireSameSize(destination.size)
    convertToBytes(destination.flatPlanes)
  }
}

extension vImage.PixelBuffer<vImage.PlanarFx3> {
  /// Converts 0…1 to 0…255.
  public func convert(to destination: vImage.PixelBuffer<vImage.Planar8x3>) {
    requireSameSize(destination.size)
    convertToBytes(destination.flatPlanes)
  }
}

extension vImage.PixelBuffer<vImage.Planar8> {
  /// Converts 0…255 to 0…1.
  public func convert(to destination: vImage.PixelBuffer<vImage.PlanarF>) {
    requireSameSize(destination.size)
    convertToFloats(destination.flatPlanes)
  }
}

extension vImage.PixelBuffer<vImage.Planar8x3> {
  /// Converts 0…255 to 0…1.
  public func convert(to destination: vImage.PixelBuffer<vImage.PlanarFx3>) {
    requireSameSize(destination.size)
    convertToFloats(destination.flatPlanes)
  }

  /// Separates the channels of a buffer.
  public init(interleavedBuffer: vImage.PixelBuffer<vImage.Interleaved8x3>) {
    self.init(size: interleavedBuffer.size)
    let planes: [vImage_Buffer] = storage.buffers
    call {
      var (source, one, two, three) = (
        interleavedBuffer.storage.buffers[0], planes[0], planes[1], planes[2]
      )
      return vImageConvert_RGB888toPlanar8(
        &source, &one, &two, &three, vImage_Flags(kvImageNoFlags))
    }
  }
}

extension vImage.PixelBuffer<vImage.PlanarFx3> {
  /// Separates the channels of a buffer.
  public init(interleavedBuffer: vImage.PixelBuffer<vImage.InterleavedFx3>) {
    self.init(size: interleavedBuffer.size)
    let planes: [vImage_Buffer] = storage.buffers
    call {
      var (source, one, two, three) = (
        interleavedBuffer.storage.buffers[0], planes[0], planes[1], planes[2]
      )
      return vImageConvert_RGBFFFtoPlanarF(
        &source, &one, &two, &three, vImage_Flags(kvImageNoFlags))
    }
  }
}

extension vImage.PixelBuffer<vImage.Planar8x4> {
  /// Separates the channels of a buffer, in memory order.
  public init(interleavedBuffer: vImage.PixelBuffer<vImage.Interleaved8x4>) {
    self.init(size: interleavedBuffer.size)
    let planes: [vImage_Buffer] = storage.buffers
    call {
      var (source, one, two, three, four) = (
        interleavedBuffer.storage.buffers[0], planes[0], planes[1], planes[2], planes[3]
      )
      return vImageConvert_ARGB8888toPlanar8(
        &source, &one, &two, &three, &four, vImage_Flags(kvImageNoFlags))
    }
  }
}

extension vImage.PixelBuffer<vImage.Interleaved8x3> {
  /// Joins planes to pixels.
  public init(planarBuffers: [vImage.PixelBuffer<vImage.Planar8>]) {
    let planes = vImage.PixelBuffer<vImage.Planar8x3>(planarBuffers: planarBuffers)
    self.init(size: planes.size)
    call {
      var (one, two, three, result) = (
        planes.storage.buffers[0], planes.storage.buffers[1], planes.storage.buffers[2],
        storage.buffers[0]
      )
      return vImageConvert_Planar8toRGB888(
        &one, &two, &three, &result, vImage_Flags(kvImageNoFlags))
    }
  }

  /// Converts 0…255 to 0…1.
  public func convert(to destination: vImage.PixelBuffer<vImage.InterleavedFx3>) {
    requireSameSize(destination.size)
    convertToFloats(destination.flatPlanes)
  }
}

extension vImage.PixelBuffer<vImage.InterleavedFx3> {
  /// Joins planes to pixels.
  public init(planarBuffers: [vImage.PixelBuffer<vImage.PlanarF>]) {
    let planes = vImage.PixelBuffer<vImage.PlanarFx3>(planarBuffers: planarBuffers)
    self.init(size: planes.size)
    call {
      var (one, two, three, result) = (
        planes.storage.buffers[0], planes.storage.buffers[1], planes.storage.buffers[2],
        storage.buffers[0]
      )
      return vImageConvert_PlanarFtoRGBFFF(
        &one, &two, &three, &result, vImage_Flags(kvImageNoFlags))
    }
  }

  /// Converts 0…1 to 0…255.
  public func convert(to destination: vImage.PixelBuffer<vImage.Interleaved8x3>) {
    requireSameSize(destination.size)
    convertToBytes(destination.flatPlanes)
  }
}

extension vImage.PixelBuffer<vImage.Interleaved8x4> {
  /// Drops the alpha.
  ///
  /// - Parameter channelOrdering: The channels of this buffer. The destination's channels are red, green and blue.
  public func convert(
    to destination: vImage.PixelBuffer<vImage.Interleaved8x3>,
    channelOrdering: vImage.ChannelOrdering
  ) {
    requireSameSize(destination.size)
    call {
      var (source, result) = (storage.buffers[0], destination.storage.buffers[0])
      let flags = vImage_Flags(kvImageNoFlags)
      switch channelOrdering {
      case .ARGB: return vImageConvert_ARGB8888toRGB888(&source, &result, flags)
      case .RGBA: return vImageConvert_RGBA8888toRGB888(&source, &result, flags)
      case .BGRA: return vImageConvert_BGRA8888toRGB888(&source, &result, flags)
      }
    }
  }
}
