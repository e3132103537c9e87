import CFilm
import FFmpeg
import Imaging

extension Picture {
  /// Returns the picture at 1/`factor` of its size, rounded up.
  func reduced(by factor: Int) throws -> Picture {
    guard factor > 1 else { return self }
    var isDone = true
    let result = try Picture(
      width: (width + factor - 1) / factor, height: (height + factor - 1) / factor
    ) { target in
      withPixels { pixels in
        guard let from = pixels.baseAddress, let to = target.baseAddress else { return }
        isDone = cf_reduce(from, Int64(width), Int64(height), Int64(factor), to)
      }
    }
    guard isDone else { throw Self.scalingError(self) }
    return result
  }

  /// Returns the painting of a reduced frame at the size of the frame. Edges of the film are as sharp in the painting as in
  /// the film.
  func enlarged(along film: Picture, reduced: Picture, by factor: Int) throws -> Picture {
    guard factor > 1 else { return self }
    var isDone = true
    let result = try Picture(width: film.width, height: film.height) { target in
      withPixels { painting in
        film.withPixels { pixels in
          reduced.withPixels { small in
            guard let painting = painting.baseAddress, let pixels = pixels.baseAddress,
              let small = small.baseAddress, let to = target.baseAddress
            else { return }
            isDone = cf_enlarge(
              painting, small, pixels, Int64(film.width), Int64(film.height), Int64(factor), to)
          }
        }
      }
    }
    guard isDone else { throw Self.scalingError(film) }
    return result
  }

  private static func scalingError(_ picture: Picture) -> FilmError {
    FilmError(
      .memory,
      "There is not enough memory to scale frames of \(picture.width) × \(picture.height).")
  }
}
