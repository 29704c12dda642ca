C ASSIGN, assigned GO TO and assigned formats (FORTRAN 77, 10.3, 11.3, 12.4).
      PROGRAM LABELS
      INTEGER RET, FMT, I
      ASSIGN 10 TO RET
      I = 1
      GO TO 100
   10 ASSIGN 20 TO RET
      I = 2
      GO TO 100
   20 ASSIGN 30 TO FMT
      PRINT FMT, I
      ASSIGN 40 TO FMT
      WRITE (*, FMT) I
      DO 50 I = 1, 3
        IF (I .EQ. 2) ASSIGN 60 TO RET
        IF (I .NE. 2) ASSIGN 70 TO RET
        GOTO RET, (60, 70)
   60   PRINT *, 'two'
   70   CONTINUE
   50 CONTINUE
      ASSIGN10TOL=3
      PRINT *, ASSIGN10TOL
      STOP
  100 PRINT *, 'subroutine', I
      GO TO RET
   30 FORMAT ('first ', I3)
   40 FORMAT ('the second one', I5)
      END
